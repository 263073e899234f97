import type { Resource } from "@planloom/plan";

/** Tools of an invented shop, described as tools of real servers are: a sentence each, four arguments in the mean. */
export const shop: readonly Resource[] = [
  tool(
    "list_orders",
    "List the orders of a customer, newest first. Cancelled orders are left out unless asked for.",
    {
      customer_id: text("Id of the customer, as find_customer gives it."),
      status: {
        type: "string",
        enum: ["open", "paid", "shipped", "cancelled"],
        description: "Only orders in this state.",
      },
      since: { type: "string", format: "date", description: "Only orders placed on or after this day (YYYY-MM-DD)." },
      limit: {
        type: "integer",
        minimum: 1,
        maximum: 100,
        description: "How many orders to return at most. Default 20.",
      },
    },
    ["customer_id"],
    { type: "array", items: record({ id: text(), total: { type: "number" }, placed: text() }) },
  ),
  tool(
    "find_customer",
    "Find customers by name, mail address or phone number.",
    {
      query: text("What to look for; matches the beginnings of words."),
      limit: { type: "integer", description: "How many customers to return at most. Default 10." },
    },
    ["query"],
    { type: "array", items: record({ id: text(), name: text(), mail: text() }) },
  ),
  tool(
    "create_invoice",
    "Create an invoice for one order and return its number.",
    {
      order_id: text("Id of the order."),
      due_days: { type: "integer", description: "Days until it is due. Default 14." },
      note: text("A line of text printed below the positions."),
    },
    ["order_id"],
    record({ number: text(), url: text() }),
  ),
  tool(
    "send_mail",
    "Send a mail to one or several people.",
    {
      to: { type: "array", items: { type: "string", format: "email" }, description: "Addresses of the recipients." },
      subject: text("Subject line."),
      body: text("The text of the mail."),
      attachments: { type: "array", items: text(), description: "URLs of files that go along." },
    },
    ["to", "subject", "body"],
  ),
  tool(
    "stock_level",
    "Tell how many pieces of a product are in a warehouse.",
    {
      product: text("Name or article number of the product."),
      warehouse: {
        type: "string",
        enum: ["north", "south"],
        description: "Which warehouse; both together if left out.",
      },
    },
    ["product"],
    record({ pieces: { type: "integer" } }),
  ),
];

const subjects = "parcel supplier voucher return price campaign review shift vehicle contract ticket invoice".split(
  " ",
);
const verbs = ["list", "find", "create", "update", "archive", "export"];

/** The shop with as many more tools as make it `count`. */
export function shopOf(count: number): readonly Resource[] {
  const more = Array.from({ length: Math.max(0, count - shop.length) }, (_, at) => {
    const subject = subjects[at % subjects.length]!;
    const verb = verbs[Math.floor(at / subjects.length) % verbs.length]!;
    const part = Math.floor(at / (subjects.length * verbs.length));
    const name = `${verb}_${subject}${part === 0 ? "" : `_${part}`}`;
    return tool(
      name,
      `${verb[0]!.toUpperCase()}${verb.slice(1)} the ${subject} of a branch, with what is known of it at the time.`,
      {
        [`${subject}_id`]: text(`Id of the ${subject}.`),
        branch: text("Number of the branch; all branches if left out."),
        detail: { type: "string", enum: ["short", "full"], description: "How much to say of each." },
        limit: { type: "integer", description: "How many to return at most. Default 20." },
      },
      [`${subject}_id`],
    );
  });
  return [...shop, ...more].slice(0, count);
}

function tool(
  id: string,
  description: string,
  properties: Readonly<Record<string, unknown>>,
  required: readonly string[],
  output_schema?: Resource["output_schema"],
): Resource {
  const input_schema = { type: "object", properties, required: [...required] };
  return { kind: "tool", id, description, input_schema, ...(output_schema !== undefined && { output_schema }) };
}

function text(description?: string): Record<string, unknown> {
  return { type: "string", ...(description !== undefined && { description }) };
}

function record(properties: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return { type: "object", properties };
}
