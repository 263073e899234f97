import type { JsonSchema, Resource } from "@planloom/plan";
import { number, text, tool } from "./tool-records.ts";

const whole = (description: string): JsonSchema => ({ type: "integer", description });
const flag = (description: string): JsonSchema => ({ type: "boolean", description });
const texts = (description: string): JsonSchema => ({ type: "array", items: { type: "string" }, description });
const choice = (description: string, ...values: string[]): JsonSchema => ({
  type: "string",
  enum: values,
  description,
});

export const vineyard: readonly Resource[] = [
  tool(
    "lookup_parcel",
    "Look up a vineyard parcel by its name.",
    { parcel_name: text("The name of the parcel."), region: text("The wine region in which the parcel lies.") },
    {
      parcel_id: text("Identifier of the parcel."),
      grape_variety: text("The grape variety that grows there."),
      area_ha: number("Area in hectares."),
    },
    ["parcel_name"],
  ),
  tool(
    "estimate_yield",
    "Estimate the grape yield of a parcel for a vintage.",
    {
      parcel_id: text("Identifier of the parcel."),
      vintage: whole("The year of the harvest."),
      pruning: choice("The pruning system.", "guyot", "cordon", "gobelet"),
    },
    { expected_tonnes: number("Expected yield in tonnes."), confidence: number("Confidence of the estimate.") },
    ["parcel_id", "vintage"],
  ),
  tool(
    "book_pickers",
    "Book a crew of harvest pickers.",
    {
      tonnes: number("How many tonnes are to be picked."),
      start_date: text("The first day of picking, in the format YYYY-MM-DD."),
      crew_leader: text("Name of the crew's leader."),
    },
    { booking_ref: text("Reference of the booking."), crew_size: whole("Number of pickers.") },
    ["tonnes", "start_date"],
  ),
  tool(
    "order_meals",
    "Order meals for a crew.",
    {
      headcount: whole("How many people eat."),
      dish: text("The dish to be served."),
      delivery_place: text("Where the meals are delivered."),
      dietary_notes: text("Allergies and preferences."),
    },
    { order_no: text("Number of the order.") },
    ["headcount", "dish", "delivery_place"],
  ),
  tool(
    "design_label",
    "Design the label of a bottle.",
    {
      wine_name: text("The name of the wine."),
      grape: text("The grape variety printed on the label."),
      style: text("The style of the label, e.g., modern, rustic, art deco."),
      tasting_note: text("A tasting note printed on the back."),
    },
    { label_url: text("URL of the label image.") },
    ["wine_name", "grape"],
  ),
  tool(
    "print_labels",
    "Print labels on rolls.",
    {
      label_url: text("URL of the label image."),
      quantity: whole("How many labels."),
      paper: text("The paper, e.g., cotton, estate, laid."),
    },
    { print_job: text("Identifier of the print job.") },
    ["label_url", "quantity"],
  ),
  tool(
    "frost_forecast",
    "Forecast the risk of frost in a region.",
    { region: text("The wine region."), nights: whole("For how many nights.") },
    { risk_level: text("low, medium or high."), coldest_night: text("Date of the coldest night.") },
    ["region", "nights"],
  ),
  tool(
    "light_candles",
    "Plan the lighting of frost candles in a parcel.",
    {
      parcel_id: text("Identifier of the parcel."),
      night: text("The date of the night."),
      candles_per_ha: whole("Number of candles per hectare."),
    },
    { plan_ref: text("Reference of the plan.") },
    ["parcel_id", "night", "candles_per_ha"],
  ),
  tool(
    "taste_panel",
    "Convene a tasting panel for a wine.",
    {
      wine_name: text("The name of the wine."),
      tasters: texts("The names of the tasters."),
      room: text("The room of the tasting."),
    },
    { panel_id: text("Identifier of the panel."), score: number("Average score.") },
    ["wine_name", "tasters"],
  ),
];

export const theatre: readonly Resource[] = [
  tool(
    "find_play",
    "Find a play by its title.",
    { title: text("The title of the play."), author: text("The playwright.") },
    {
      play_code: text("Catalogue code of the play."),
      cast_size: whole("How many actors it needs."),
      running_minutes: whole("Running time in minutes."),
    },
    ["title"],
  ),
  tool(
    "license_play",
    "Obtain the performance licence for a play.",
    {
      play_code: text("Catalogue code of the play."),
      performances: whole("Number of performances."),
      venue: text("The name of the venue."),
    },
    { licence_number: text("Number of the licence."), fee: number("Fee in euros.") },
    ["play_code", "performances", "venue"],
  ),
  tool(
    "hold_auditions",
    "Announce auditions.",
    {
      roles: whole("How many roles are to be cast."),
      date: text("Date of the auditions."),
      venue: text("Where they are held."),
      age_range: text("The ages wanted, e.g., 18-30."),
    },
    { notice_id: text("Identifier of the notice.") },
    ["roles", "date", "venue"],
  ),
  tool(
    "reserve_stage",
    "Reserve a stage for a span of time.",
    {
      venue: text("The name of the venue."),
      minutes: whole("For how many minutes."),
      date: text("The date of the reservation."),
      with_technician: flag("Whether a technician is present."),
    },
    { slot_id: text("Identifier of the slot.") },
    ["venue", "minutes", "date"],
  ),
  tool(
    "hire_costumes",
    "Hire costumes.",
    {
      period: text("The historical period, e.g., Baroque, Victorian."),
      pieces: whole("Number of costumes."),
      size_list: texts("Sizes of the costumes."),
    },
    { hire_ref: text("Reference of the hire."), deposit: number("Deposit in euros.") },
    ["period", "pieces"],
  ),
  tool(
    "pay_invoice",
    "Pay an amount to a creditor.",
    {
      amount: number("The amount in euros."),
      payee: text("Who is paid."),
      memo: text("A remark for the bank statement."),
    },
    { payment_id: text("Identifier of the payment.") },
    ["amount", "payee"],
  ),
  tool(
    "write_programme",
    "Write the programme note of a production.",
    { title: text("The title of the play."), theme: text("What the note is about."), words: whole("Length in words.") },
    { note: text("The programme note.") },
    ["title", "theme"],
  ),
  tool(
    "translate_note",
    "Translate a note into another language.",
    { note: text("The note to translate."), target_language: text("The language to translate into.") },
    { translated_note: text("The note in the other language.") },
    ["note", "target_language"],
  ),
  tool(
    "mail_subscribers",
    "Mail a text to the subscribers of the theatre.",
    {
      body: text("The text of the mail."),
      subject: text("The subject line."),
      segment: choice("Which subscribers.", "all", "patrons", "students"),
    },
    { mailing_id: text("Identifier of the mailing.") },
    ["body", "subject"],
  ),
];

export const museum: readonly Resource[] = [
  tool(
    "register_find",
    "Register an archaeological find.",
    {
      object: text("What was found."),
      trench: text("The label of the trench."),
      depth_cm: number("Depth in centimetres."),
      finder: text("Who found it."),
    },
    { find_number: text("The registration number of the find.") },
    ["object", "trench", "depth_cm"],
  ),
  tool(
    "date_sample",
    "Date a sample by radiocarbon.",
    {
      find_number: text("The registration number of the find."),
      material: text("The material of the sample, e.g., charcoal, bone, seed."),
    },
    { years_bp: whole("Age in years before present."), error_years: whole("Standard error in years.") },
    ["find_number", "material"],
  ),
  tool(
    "calibrate_age",
    "Calibrate a radiocarbon age.",
    {
      years_bp: whole("Age in years before present."),
      curve: choice("The calibration curve.", "IntCal20", "SHCal20", "Marine20"),
    },
    { calendar_range: text("Range of calendar years.") },
    ["years_bp", "curve"],
  ),
  tool(
    "store_object",
    "Assign a place in the depot to an object.",
    {
      find_number: text("The registration number of the find."),
      humidity: number("Relative humidity in per cent."),
      shelf: text("The wanted shelf."),
    },
    { depot_place: text("The place in the depot.") },
    ["find_number", "humidity"],
  ),
  tool(
    "commission_drawing",
    "Commission a drawing of a find.",
    {
      find_number: text("The registration number of the find."),
      illustrator: text("The name of the illustrator."),
      scale: text("The scale of the drawing, e.g., 1:1, 1:2."),
    },
    { drawing_id: text("Identifier of the drawing.") },
    ["find_number", "illustrator"],
  ),
  tool(
    "write_caption",
    "Write a caption for an exhibit.",
    {
      subject: text("The exhibit."),
      age_text: text("The age as it is to be printed."),
      tone: text("The tone of the caption, e.g., playful, sober."),
      max_words: whole("Longest length in words."),
    },
    { caption: text("The caption.") },
    ["subject", "age_text"],
  ),
  tool(
    "hang_panel",
    "Put a panel with text up in a gallery.",
    {
      text: text("What the panel says."),
      gallery: text("The gallery."),
      height_cm: whole("Height of the lower edge in centimetres."),
    },
    { panel_ref: text("Reference of the panel.") },
    ["text", "gallery", "height_cm"],
  ),
  tool(
    "request_loan",
    "Request the loan of an object from another museum.",
    {
      object: text("The object."),
      lender: text("The lending museum."),
      from_date: text("First day of the loan."),
      to_date: text("Last day of the loan."),
    },
    { loan_contract: text("Number of the loan contract.") },
    ["object", "lender", "from_date", "to_date"],
  ),
  tool(
    "insure_transport",
    "Insure the transport of an object on loan.",
    {
      loan_contract: text("Number of the loan contract."),
      value_eur: number("Insured value in euros."),
      carrier: text("The forwarding agent."),
    },
    { policy_number: text("Number of the policy.") },
    ["loan_contract", "value_eur", "carrier"],
  ),
];

export const harbour: readonly Resource[] = [
  tool(
    "tide_table",
    "Get the tides of a harbour on a day.",
    { harbour: text("The harbour."), day: text("The day.") },
    {
      high_water: text("Time of high water."),
      low_water: text("Time of low water."),
      range_m: number("Tidal range in metres."),
    },
    ["harbour", "day"],
  ),
  tool(
    "request_berth",
    "Request a berth for a vessel.",
    {
      vessel: text("The name of the vessel."),
      length_m: number("Length over all in metres."),
      arrival: text("Time of arrival."),
      shore_power: flag("Whether shore power is needed."),
    },
    { berth_no: text("Number of the berth."), daily_rate: number("Price a day.") },
    ["vessel", "length_m", "arrival"],
  ),
  tool(
    "order_pilot",
    "Order a pilot.",
    {
      vessel: text("The name of the vessel."),
      boarding_time: text("When the pilot comes on board."),
      boarding_place: text("Where the pilot comes on board."),
    },
    { pilot_name: text("The name of the pilot."), pilot_order: text("Number of the order.") },
    ["vessel", "boarding_time", "boarding_place"],
  ),
  tool(
    "bunker_fuel",
    "Order fuel for a vessel at a berth.",
    {
      berth_no: text("Number of the berth."),
      fuel_type: choice("The kind of fuel.", "MGO", "HFO", "LNG"),
      tonnes: number("Tonnes of fuel."),
    },
    { delivery_note: text("Number of the delivery note.") },
    ["berth_no", "fuel_type", "tonnes"],
  ),
  tool(
    "list_crew",
    "List the crew of a vessel.",
    { vessel: text("The name of the vessel."), rank: text("Only this rank, e.g., mate, cook.") },
    { crew_names: texts("Names of the crew.") },
    ["vessel"],
  ),
  tool(
    "issue_passes",
    "Issue shore passes.",
    {
      names: texts("The names of the holders."),
      valid_until: text("The last day of validity."),
      gate: text("The gate at which they are shown."),
    },
    { pass_batch: text("Identifier of the batch.") },
    ["names", "valid_until"],
  ),
  tool(
    "rent_crane",
    "Rent a crane.",
    {
      load_t: number("The heaviest load in tonnes."),
      berth_no: text("Number of the berth."),
      hours: number("For how many hours."),
    },
    { crane_id: text("Identifier of the crane."), total_cost: number("The price.") },
    ["load_t", "berth_no", "hours"],
  ),
  tool(
    "weigh_cargo",
    "Weigh a cargo.",
    { cargo: text("The cargo."), bridge: text("The weighbridge.") },
    { gross_t: number("Gross weight in tonnes."), slip_no: text("Number of the weighing slip.") },
    ["cargo", "bridge"],
  ),
  tool(
    "declare_customs",
    "Declare a cargo to the customs.",
    {
      cargo: text("The cargo."),
      weight_t: number("Weight in tonnes."),
      origin: text("Country of origin."),
      tariff_code: text("Tariff code, e.g., 1001.99."),
    },
    { declaration_no: text("Number of the declaration.") },
    ["cargo", "weight_t", "origin"],
  ),
];
