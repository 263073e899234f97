/** Runs in a page, as text; the value of the last line is what a reader would stumble over. */
function measurePage() {
  const shown = (element) => element.getClientRects().length > 0;
  const all = (selector) => [...document.querySelectorAll(selector)].filter(shown);
  const channels = (colour) => (colour.match(/[\d.]+/g) ?? []).map(Number);
  const luminance = (colour) => {
    const [red = 0, green = 0, blue = 0] = channels(colour).map((value) => {
      const share = value / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const ground = (element) => {
    const own = getComputedStyle(element).backgroundColor;
    const clear = channels(own)[3] === 0;
    return clear && element.parentElement !== null ? ground(element.parentElement) : own;
  };
  const contrast = (one, other) => {
    const [high, low] = [luminance(one), luminance(other)].sort((left, right) => right - left);
    return (high + 0.05) / (low + 0.05);
  };
  const plots = all("figure svg");
  const texts = plots.flatMap((svg) => [...svg.querySelectorAll("text")].map((text) => ({ svg, text })));
  const prose = all("h1, h2, p, a, li, th, td, figcaption, footer");
  return {
    sections: all("main > section[id]:not([id^=table])").map(({ id }) => id),
    pageWidth: document.documentElement.scrollWidth,
    plots: plots.length,
    emptyPlots: plots
      .filter((svg) => svg.querySelectorAll("path, rect, circle, text").length < 5)
      .map(({ ariaLabel }) => ariaLabel),
    tinyText: texts
      .map(({ text }) => ({ said: text.textContent, height: text.getBoundingClientRect().height }))
      .filter(({ said, height }) => (said ?? "") !== "" && height < 10),
    cutText: texts
      .filter(({ svg, text }) => {
        const [inner, outer] = [text.getBoundingClientRect(), svg.getBoundingClientRect()];
        return inner.left < outer.left - 12 || inner.right > outer.right + 12 || inner.top < outer.top - 4;
      })
      .map(({ text }) => text.textContent),
    faintText: prose
      .filter((element) => contrast(getComputedStyle(element).color, ground(element)) < 4.5)
      .map((element) => element.textContent),
    brokenLinks: [...document.querySelectorAll("nav a")]
      .map((link) => link.getAttribute("href") ?? "")
      .filter((target) => document.querySelector(target) === null),
  };
}

measurePage();
