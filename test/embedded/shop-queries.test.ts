import { planGoal } from "@planloom/embedded";
import { expect, test } from "vitest";
import { stepsOf } from "../support/plan-steps.ts";
import { shopResources } from "../support/shop-resources.ts";

const clock = { now: "2025-10-12T06:00:00.000Z", timeZone: "UTC" };
const customers = "${step[0].customers.*.id}";

test.for<{ query: string; steps: readonly (readonly [tool: string, params: object])[]; open?: readonly string[] }>([
  {
    query: "List open orders over 100 from customers in Paris",
    steps: [
      ["crm/search_customers", { city: "Paris" }],
      ["shop/list_orders", { customer_ids: customers, status: "open", min_total: 100 }],
    ],
  },
  {
    query: "Find the customer named Ada Lovelace and list her orders",
    steps: [
      ["crm/search_customers", { name: "Ada Lovelace" }],
      ["shop/list_orders", { customer_ids: customers }],
    ],
  },
  {
    query: "List orders of Ada Lovelace",
    steps: [
      ["crm/search_customers", { name: "Ada Lovelace" }],
      ["shop/list_orders", { customer_id: "${step[0].customers[0].id}" }],
    ],
  },
  {
    query: "Show me the orders of the customer with email ada@example.org",
    steps: [
      ["crm/search_customers", { email: "ada@example.org" }],
      ["shop/list_orders", { customer_ids: customers }],
    ],
  },
  {
    query: "find books cheaper than 30 dollars",
    steps: [["shop/search_products", { category: "books", max_price: 30 }]],
  },
  {
    query: "Find customers called Bob and update their email to bob@x.org",
    steps: [
      ["crm/search_customers", { name: "Bob" }],
      ["crm/update_customer", { customer_id: "${step[0].customers[0].id}", email: "bob@x.org" }],
    ],
    open: ["first_only customer_id"],
  },
  {
    query: "Get open orders and shipped orders since 2025-10-06",
    steps: [
      ["shop/list_orders", { status: "open", created_after: "2025-10-06" }],
      ["shop/list_orders", { status: "shipped", created_after: "2025-10-06" }],
    ],
  },
  { query: "Get order A-1042", steps: [["shop/get_order", { order_id: "A-1042" }]] },
  {
    query: "Get orders A1, A2 and A3",
    steps: [
      ["shop/get_order", { order_id: "A1" }],
      ["shop/get_order", { order_id: "A2" }],
      ["shop/get_order", { order_id: "A3" }],
    ],
  },
  {
    query: "List the orders of customers C1, C2 and C3",
    steps: [["shop/list_orders", { customer_ids: ["C1", "C2", "C3"] }]],
  },
  {
    query: "Search for garden tools under 50 that are in stock",
    steps: [["shop/search_products", { category: "garden tools", max_price: 50, in_stock: true }]],
  },
  {
    query: "Please show me all products that are not in stock.",
    steps: [["shop/search_products", { in_stock: false }]],
  },
  {
    query: "Show all cancelled orders of VIP customers since September",
    steps: [
      ["crm/search_customers", { vip: true }],
      ["shop/list_orders", { customer_ids: customers, status: "cancelled", created_after: "2025-09-01" }],
    ],
  },
  {
    query: "Update the email of customer C7 to ada@example.org",
    steps: [["crm/update_customer", { customer_id: "C7", email: "ada@example.org" }]],
  },
  {
    query: "Send an email to bob@example.org with subject 'Hello' and body 'See you soon'",
    steps: [["mail/send_email", { to: "bob@example.org", subject: "Hello", body: "See you soon" }]],
  },
  {
    query: "What will the weather be like in Lisbon for the next 3 days?",
    steps: [["weather/get_forecast", { city: "Lisbon", days: 3 }]],
  },
  {
    query: "reviews since last Friday with at least 4 stars for SKU-12",
    steps: [["reviews/list_reviews", { product_sku: "SKU-12", min_rating: 4, since: "2025-10-10" }]],
  },
  {
    query: "Find products about 'deep learning' and show their reviews",
    steps: [
      ["shop/search_products", { query: "deep learning" }],
      ["reviews/list_reviews", { product_sku: "${step[-1].sku}" }],
    ],
  },
  {
    query: "Get open orders and summarise them in two sentences",
    steps: [
      ["shop/list_orders", { status: "open" }],
      ["writer", { prompt: "summarise them in two sentences\n\nlist_orders: ${step[0]}" }],
    ],
  },
  {
    query: "Compare the weather in Lisbon and Porto",
    steps: [
      ["weather/get_forecast", { city: "Lisbon" }],
      ["weather/get_forecast", { city: "Porto" }],
      [
        "writer",
        { prompt: "Compare the weather in Lisbon and Porto\n\nget_forecast: ${step[0]}\n\nget_forecast: ${step[1]}" },
      ],
    ],
  },
  {
    query: "Show order 42 and its customer",
    steps: [
      ["shop/get_order", { order_id: "42" }],
      ["crm/get_customer", { customer_id: "${step[0].customer_id}" }],
    ],
  },
  {
    query: "Create an order for customer C7 with products B1 and B2",
    steps: [["shop/create_order", { customer_id: "C7", skus: ["B1", "B2"] }]],
  },
  {
    query: "Create an order for Ada Lovelace with product B1",
    steps: [
      ["crm/search_customers", { name: "Ada Lovelace" }],
      ["shop/create_order", { customer_id: "${step[0].customers[0].id}", skus: ["B1"] }],
    ],
  },
  {
    query: "Show me orders with a total between 20 and 80",
    steps: [["shop/list_orders", { min_total: 20, max_total: 80 }]],
  },
  { query: "orders of customer C7 sorted by date", steps: [["shop/list_orders", { customer_id: "C7", sort: "date" }]] },
  {
    query: "List orders created between 2025-09-01 and 2025-09-15 sorted by total",
    steps: [["shop/list_orders", { created_after: "2025-09-01", created_before: "2025-09-15", sort: "total" }]],
  },
  {
    query: "How many orders were shipped last month?",
    steps: [["shop/list_orders", { status: "shipped", created_after: "2025-09-01", created_before: "2025-09-30" }]],
    open: ["computation How many"],
  },
  {
    query: "Show open orders, then cancel them",
    steps: [
      ["shop/list_orders", { status: "open" }],
      // Each of them: the element of the list.
      ["shop/cancel_order", { order_id: "${step[-1].id}" }],
    ],
  },
  {
    query: "Look up customer C7, then get their orders",
    steps: [
      ["crm/get_customer", { customer_id: "C7" }],
      ["shop/list_orders", { customer_id: "${step[0].id}" }],
    ],
  },
  { query: "Delete customer C7", steps: [], open: ["no_resource Delete customer C7"] },
  { query: "Which products cost less than 20?", steps: [["shop/search_products", { max_price: 20 }]] },
])("$query", ({ query, steps, open = [] }) => {
  const { plan, unresolved } = planGoal(query, shopResources, clock);
  expect(stepsOf(plan.planned_tasks).map(({ tool, params }) => [tool, params])).toEqual(steps);
  expect(unresolved.map((each) => `${each.reason} ${each.text}`)).toEqual(open);
});
