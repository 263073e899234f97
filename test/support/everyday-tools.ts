import type { JsonSchema, Resource } from "@planloom/plan";
import { text, tool as toolRecord } from "./tool-records.ts";

const tool = (
  id: string,
  description: string,
  properties: Record<string, JsonSchema>,
  required: string[],
  output?: Record<string, JsonSchema>,
): Resource => toolRecord(id, description, properties, output, required);

/** What an office assistant may have; every parameter is named and described the way such tools do. */
export const office: readonly Resource[] = [
  tool(
    "book_room",
    "Book a meeting room",
    {
      room: text("Name of the room"),
      start: { type: "string", format: "date-time" },
      duration_minutes: { type: "integer" },
      projector: { type: "boolean", description: "Whether a projector is needed" },
    },
    ["room", "start"],
  ),
  tool(
    "weather_forecast",
    "Get the weather forecast of a city",
    {
      city: text(),
      days: { type: "integer", description: "Number of days" },
      unit: { type: "string", enum: ["celsius", "fahrenheit"] },
    },
    ["city"],
    { forecast: text() },
  ),
  tool(
    "send_mail",
    "Send an e-mail message to somebody",
    {
      to: { type: "string", format: "email" },
      subject: text(),
      body: text(),
      attachments: { type: "array", items: text() },
    },
    ["to", "body"],
  ),
  tool(
    "convert_money",
    "Convert an amount of money from one currency to another",
    { amount: { type: "number" }, from: text("ISO 4217 code, e.g. EUR"), to: text("ISO 4217 code") },
    ["amount", "from", "to"],
    { converted: { type: "number" } },
  ),
  tool(
    "translate",
    "Translate text into another language",
    { text: text(), language: text("Target language") },
    ["text", "language"],
    { translation: text() },
  ),
  tool("fetch_page", "Download a web page", { url: { type: "string", format: "uri" } }, ["url"], {
    text: text(),
    title: text(),
  }),
  tool("summarize", "Summarize a long text", { text: text(), max_words: { type: "integer" } }, ["text"], {
    summary: text(),
  }),
  tool(
    "search_flats",
    "Search flats to rent",
    {
      city: text(),
      min_price: { type: "number" },
      max_price: { type: "number" },
      furnished: { type: "boolean" },
      rooms: { type: "integer" },
      pets_allowed: { type: "boolean" },
    },
    ["city"],
    { flats: { type: "array", items: { type: "object", properties: { id: text(), price: { type: "number" } } } } },
  ),
  tool(
    "resize_image",
    "Resize an image file",
    {
      file: text("Path of the image"),
      width: { type: "integer", description: "in pixels" },
      height: { type: "integer", description: "in pixels" },
      keep_ratio: { type: "boolean" },
    },
    ["file"],
  ),
  tool(
    "fill_tank",
    "Fill a tank",
    { tank: text("Number of the tank"), liters: { type: "number", description: "Amount in liters" } },
    ["tank", "liters"],
  ),
  tool("cancel_order", "Cancel an order", { order_id: text(), reason: text() }, ["order_id"]),
  tool(
    "set_alarm",
    "Set an alarm",
    {
      time: { type: "string", format: "date-time" },
      label: text(),
      repeat: { type: "string", enum: ["never", "daily", "weekly"] },
    },
    ["time"],
  ),
  tool("track_parcel", "Track a parcel", { tracking_number: text() }, ["tracking_number"], {
    status: text(),
    location: text(),
  }),
];

/** What a team that builds and runs software may have. */
export const workshop: readonly Resource[] = [
  tool(
    "create_issue",
    "Create an issue in a repository",
    {
      repository: text("owner/name"),
      title: text(),
      labels: { type: "array", items: text() },
      priority: { type: "string", enum: ["low", "medium", "high", "urgent"] },
    },
    ["repository", "title"],
    { issue_number: { type: "integer" }, url: text() },
  ),
  tool("close_issue", "Close an issue", { repository: text(), issue_number: { type: "integer" } }, ["issue_number"]),
  tool(
    "list_commits",
    "List the commits of a branch",
    { branch: text(), since: { type: "string", format: "date" }, author: text() },
    ["branch"],
  ),
  tool(
    "deploy",
    "Deploy a version to an environment",
    {
      version: text("Semantic version such as 1.4.2"),
      environment: { type: "string", enum: ["staging", "production"] },
      dry_run: { type: "boolean" },
    },
    ["version", "environment"],
    { deployment_id: text() },
  ),
  tool("rollback", "Roll back a deployment", { deployment_id: text() }, ["deployment_id"]),
  tool(
    "post_message",
    "Post a message to a chat channel",
    { channel: text("Channel, e.g. #general"), text: text("What to say") },
    ["channel", "text"],
  ),
  tool(
    "scale_service",
    "Change the number of replicas of a service",
    {
      service: text(),
      replicas: { type: "integer", minimum: 0 },
      memory_mb: { type: "integer", description: "Memory per replica in megabytes" },
    },
    ["service", "replicas"],
  ),
  tool(
    "query_logs",
    "Search the logs of a service",
    {
      service: text(),
      level: { type: "string", enum: ["debug", "info", "warning", "error"] },
      from: { type: "string", format: "date-time" },
      to: { type: "string", format: "date-time" },
      contains: text("Text that lines contain"),
    },
    ["service"],
  ),
  tool(
    "run_tests",
    "Run the test suite",
    { parallel: { type: "boolean" }, retries: { type: "integer" }, timeout_seconds: { type: "integer" } },
    [],
  ),
  tool(
    "turn_on_light",
    "Switch on the light in a room",
    { room: text(), brightness: { type: "integer", minimum: 0, maximum: 100, description: "Percent" } },
    ["room"],
  ),
  tool(
    "set_thermostat",
    "Set the temperature of a room",
    { room: text(), temperature: { type: "number", description: "Degrees Celsius" } },
    ["room", "temperature"],
  ),
];

/** What a traveller may have. */
export const travel: readonly Resource[] = [
  tool(
    "search_restaurants",
    "Find restaurants near a place",
    {
      location: text("City or address"),
      cuisine: text("Kind of food, e.g. Italian, Thai"),
      open_now: { type: "boolean" },
      party_size: { type: "integer" },
    },
    ["location"],
    { restaurants: { type: "array", items: { type: "object", properties: { restaurant_id: text(), name: text() } } } },
  ),
  tool(
    "reserve_table",
    "Reserve a table at a restaurant",
    {
      restaurant_id: text(),
      date: text("YYYY-MM-DD"),
      time: text("HH:MM, 24-hour clock"),
      guests: { type: "integer" },
      name: text("Who books"),
    },
    ["restaurant_id", "date", "time", "guests"],
    { reservation_id: text() },
  ),
  tool(
    "search_flights",
    "Search flights between two airports",
    {
      origin: text("City or IATA code"),
      destination: text(),
      departure_date: { type: "string", format: "date" },
      return_date: { type: "string", format: "date" },
      passengers: { type: "integer", default: 1 },
      cabin: { type: "string", enum: ["economy", "premium_economy", "business", "first"] },
      max_stops: { type: "integer" },
    },
    ["origin", "destination", "departure_date"],
  ),
  tool(
    "search_hotels",
    "Search hotels in a city",
    {
      city: text(),
      check_in: { type: "string", format: "date" },
      check_out: { type: "string", format: "date" },
      stars: { type: "integer", minimum: 1, maximum: 5 },
      breakfast: { type: "boolean", description: "With breakfast" },
    },
    ["city", "check_in", "check_out"],
  ),
  tool("send_sms", "Send a text message", { phone_number: text(), message: text() }, ["phone_number", "message"]),
  tool(
    "calculate_tip",
    "Work out the tip for a bill",
    { bill_amount: { type: "number" }, tip_percent: { type: "number", default: 15 }, people: { type: "integer" } },
    ["bill_amount"],
  ),
  tool(
    "directions",
    "Get directions from one place to another",
    {
      from: text(),
      to: text(),
      mode: { type: "string", enum: ["walking", "driving", "cycling", "transit"] },
      avoid_tolls: { type: "boolean" },
    },
    ["from", "to"],
  ),
  tool(
    "random_number",
    "Draw random numbers",
    { min: { type: "integer" }, max: { type: "integer" }, count: { type: "integer", default: 1 } },
    ["min", "max"],
  ),
];
