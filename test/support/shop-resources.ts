import type { JsonSchema, Resource } from "@planloom/plan";

/**
 * A second catalogue, unlike freight in every habit: verb-first names behind a server's name, wrapped lists, rows named
 * by `sku`, one-row tools beside list tools, tools that change things, a model.
 */
const text = (description = ""): JsonSchema => ({ type: "string", description });
const number = (description = ""): JsonSchema => ({ type: "number", description });
const day: JsonSchema = { type: "string", format: "date" };
const email = (description = ""): JsonSchema => ({ type: "string", format: "email", description });
const object = (properties: Record<string, JsonSchema>, required: string[] = []): JsonSchema => ({
  type: "object",
  properties,
  required,
});
const wrapped = (name: string, row: Record<string, JsonSchema>): JsonSchema =>
  object({ [name]: { type: "array", items: object(row) }, total: { type: "integer" } });

const customer = { id: text(), name: text(), email: text(), city: text() };
const order = { id: text(), customer_id: text(), status: text(), total: number() };
const product = { sku: text("Unique product code"), title: text(), price: number() };

const tool = (id: string, description: string, input: JsonSchema, output: JsonSchema): Resource => ({
  kind: "tool",
  id,
  description,
  input_schema: input,
  output_schema: output,
});

export const shopResources: readonly Resource[] = [
  tool(
    "crm/search_customers",
    "Search customers by name, city or email.",
    object({ name: text("Customer name"), city: text("City"), email: email(), vip: { type: "boolean" } }),
    wrapped("customers", customer),
  ),
  tool(
    "crm/get_customer",
    "Get one customer.",
    object({ customer_id: text("Customer id") }, ["customer_id"]),
    object(customer),
  ),
  tool(
    "crm/update_customer",
    "Update a customer.",
    object({ customer_id: text(), email: email(), name: text() }, ["customer_id"]),
    object(customer),
  ),
  tool(
    "shop/list_orders",
    "List orders.",
    object({
      customer_id: text("Only of this customer"),
      customer_ids: { type: "array", items: text() },
      status: { type: "string", enum: ["open", "shipped", "cancelled"] },
      min_total: number("Smallest total"),
      max_total: number("Largest total"),
      created_after: day,
      created_before: day,
      sort: { type: "string", enum: ["date", "total"] },
    }),
    wrapped("orders", order),
  ),
  tool("shop/get_order", "Get an order.", object({ order_id: text() }, ["order_id"]), object(order)),
  tool(
    "shop/cancel_order",
    "Cancel an order.",
    object({ order_id: text(), reason: text("Why") }, ["order_id"]),
    object({ ok: { type: "boolean" } }),
  ),
  tool(
    "shop/search_products",
    "Search the product catalogue.",
    object({
      query: text("Words to search for"),
      category: { type: "string", enum: ["books", "music", "garden tools"] },
      max_price: number(),
      in_stock: { type: "boolean" },
    }),
    wrapped("products", product),
  ),
  tool(
    "shop/create_order",
    "Create an order.",
    object({ customer_id: text(), skus: { type: "array", items: text("Product sku") }, note: text() }, [
      "customer_id",
      "skus",
    ]),
    object(order),
  ),
  tool(
    "mail/send_email",
    "Send an email.",
    object({ to: email("Recipient"), subject: text(), body: text("Text") }, ["to", "subject", "body"]),
    object({ message_id: text() }),
  ),
  tool(
    "reviews/list_reviews",
    "List product reviews.",
    object({ product_sku: text(), min_rating: number(), since: day }),
    wrapped("reviews", { id: text(), product_sku: text(), rating: number() }),
  ),
  tool(
    "weather/get_forecast",
    "Get the weather forecast for a city.",
    object({ city: text("City"), days: { type: "integer", description: "How many days ahead" } }, ["city"]),
    object({ temperature: number(), summary: text() }),
  ),
  {
    kind: "llm",
    id: "writer",
    description: "A language model that writes, summarises, compares and explains text.",
    input_schema: object({ prompt: text() }, ["prompt"]),
  },
];
