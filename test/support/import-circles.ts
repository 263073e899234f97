/**
 * Groups of files of which each imports every other in the end (strongly connected components, found by Tarjan's algorithm).
 * @param imports what each file imports; what is no key of the map is left out.
 * @returns each group sorted, the groups in the order of their first files. A file that imports itself is one, too.
 */
export function importCircles(imports: ReadonlyMap<string, readonly string[]>): string[][] {
  const orders = new Map<string, number>();
  const open: string[] = [];
  const isOpen = new Set<string>();
  const circles: string[][] = [];

  function visit(node: string): number {
    const order = orders.size;
    orders.set(node, order);
    let low = order;
    open.push(node);
    isOpen.add(node);
    for (const next of imports.get(node) ?? []) {
      if (!imports.has(next)) continue;
      if (!orders.has(next)) low = Math.min(low, visit(next));
      else if (isOpen.has(next)) low = Math.min(low, orders.get(next)!);
    }
    if (low === order) {
      const circle = open.splice(open.indexOf(node));
      for (const member of circle) isOpen.delete(member);
      if (circle.length > 1 || imports.get(node)?.includes(node)) circles.push(circle.sort());
    }
    return low;
  }

  for (const node of imports.keys()) if (!orders.has(node)) visit(node);
  return circles.sort(([a = ""], [b = ""]) => a.localeCompare(b));
}
