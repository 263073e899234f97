import type { JsonSchema, Resource } from "@planloom/plan";
import { number, text, tool } from "../support/tool-records.ts";

/** One of several values is right; `undefined` among them: may be left out. */
export class Any {
  readonly values: readonly unknown[];
  constructor(values: readonly unknown[]) {
    this.values = values;
  }
}
const any = (...values: unknown[]) => new Any(values);
/** An optional argument that may be given only this value. */
const maybe = (...values: unknown[]) => new Any([undefined, ...values]);

export type Call = readonly [tool: string, params: Readonly<Record<string, unknown>>];
export interface Trade {
  readonly tools: readonly Resource[];
  readonly goals: readonly (readonly [goal: string, calls: readonly Call[]])[];
}

const integer = (description = ""): JsonSchema => ({ type: "integer", description });
const flag = (description = ""): JsonSchema => ({ type: "boolean", description });
const choice = (values: readonly string[], description = ""): JsonSchema => ({
  type: "string",
  enum: [...values],
  description,
});
const list = (items: JsonSchema, description = ""): JsonSchema => ({ type: "array", items, description });

const apiary: Trade = {
  tools: [
    tool(
      "hive.estimate_yield",
      "Estimate the honey yield of a hive from its frames and the bloom around it.",
      {
        frames: integer("Number of frames in the hive."),
        bloom: text("The main bloom around the hive, e.g. acacia, linden, rapeseed."),
        region: text("Region where the hive stands, in the format of 'Town, Country code' (e.g., 'Graz, AT')."),
        unit: choice(["kg", "lb"], "Unit of the result. Default is 'kg'."),
      },
      undefined,
      ["frames", "bloom"],
    ),
    tool(
      "treat_mites",
      "Plan a treatment against mites.",
      {
        agent: choice(["oxalic acid", "formic acid", "thymol"], "The agent to treat with."),
        colonies: integer("How many colonies are treated."),
        repeat: flag("Whether the treatment is repeated after a week. Defaults to false."),
      },
      undefined,
      ["agent", "colonies"],
    ),
    tool("queen_age", "Age of a queen by the colour of her mark.", {
      mark_color: text("Colour of the mark on the queen."),
      current_year: integer("The current year."),
    }),
  ],
  goals: [
    [
      "How much honey can I expect from a hive with 20 frames standing next to a field of rapeseed near Graz, Austria?",
      [
        [
          "hive.estimate_yield",
          { frames: 20, bloom: "rapeseed", region: any("Graz, AT", "Graz, Austria"), unit: maybe("kg") },
        ],
      ],
    ],
    [
      "Estimate the yield in pounds for a 10-frame hive while the linden trees are in bloom.",
      [["hive.estimate_yield", { frames: 10, bloom: any("linden", "linden trees"), unit: "lb" }]],
    ],
    [
      "Treat my fourteen colonies with thymol and do it again after a week.",
      [["treat_mites", { agent: "thymol", colonies: 14, repeat: true }]],
    ],
    [
      "I want to treat 6 colonies with oxalic acid and another 9 colonies with formic acid. I don't need a repetition.",
      [
        ["treat_mites", { agent: "oxalic acid", colonies: 6, repeat: maybe(false) }],
        ["treat_mites", { agent: "formic acid", colonies: 9, repeat: maybe(false) }],
      ],
    ],
    [
      "It is 2023 and I found a queen marked in bright yellow. How old is she?",
      [["queen_age", { mark_color: any("yellow", "bright yellow"), current_year: 2023 }]],
    ],
  ],
};

const joinery: Trade = {
  tools: [
    tool(
      "beam_deflection",
      "Calculate the deflection of a wooden beam under a load.",
      {
        load: number("Load on the beam in newtons."),
        span: number("Span of the beam in meters."),
        modulus: number("Modulus of elasticity in gigapascals. Optional, default is 11."),
        support: choice(["simple", "cantilever", "fixed"], "How the beam is supported. Default is simple."),
      },
      undefined,
      ["load", "span"],
    ),
    tool(
      "cut_list",
      "Make a plan how boards are cut.",
      {
        pieces: list(number(), "Lengths of the pieces needed, in centimeters."),
        board_length: number("Length of a board in centimeters."),
        kerf: number("Width of the saw blade in millimeters. Default is 3."),
        allow_joints: flag("Whether pieces may be glued together. Default is false."),
      },
      undefined,
      ["pieces", "board_length"],
    ),
    tool(
      "panel.area",
      "Area of a panel of a given shape.",
      {
        shape: text("Shape of the panel, such as 'rectangle', 'triangle' or 'circle'."),
        dimensions: {
          type: "object",
          description: "The dimensions of the panel.",
          properties: { width: number("The width in cm."), height: number("The height in cm.") },
          required: ["width", "height"],
        },
      },
      undefined,
      ["shape", "dimensions"],
    ),
  ],
  goals: [
    [
      "What is the deflection of a beam spanning 4.5 meters that carries a load of 1,200 newtons and is fixed at both ends?",
      [["beam_deflection", { load: 1200, span: 4.5, support: "fixed", modulus: maybe(11) }]],
    ],
    [
      "Calculate the deflection of a cantilever beam under 800 N with a span of 2 m, then do the same for a span of 3 m.",
      [
        ["beam_deflection", { load: 800, span: 2, support: "cantilever", modulus: maybe(11) }],
        ["beam_deflection", { load: 800, span: 3, support: "cantilever", modulus: maybe(11) }],
      ],
    ],
    [
      "I need pieces of 40, 55, 55 and 120 cm out of boards that are 240 cm long. My saw blade is 2.4 mm wide and joints are fine.",
      [["cut_list", { pieces: [40, 55, 55, 120], board_length: 240, kerf: 2.4, allow_joints: true }]],
    ],
    [
      "What area does a rectangle panel of width 60 cm and height 185 cm have?",
      [["panel.area", { shape: "rectangle", dimensions: { width: 60, height: 185 } }]],
    ],
  ],
};

const theatre: Trade = {
  tools: [
    tool(
      "book_seats",
      "Book seats for a performance.",
      {
        play: text("Title of the play."),
        venue: text("The theatre and its city, e.g. 'Old Vic, London'."),
        date: text("Date of the performance in the format YYYY-MM-DD."),
        seats: integer("Number of seats to book."),
        category: choice(["stalls", "balcony", "box"], "Category of the seats."),
      },
      undefined,
      ["play", "venue", "date", "seats"],
    ),
    tool(
      "find_reviews",
      "Find reviews of a play.",
      {
        play: text("Title of the play."),
        newspapers: list(text(), "Names of the newspapers to search."),
        min_stars: integer("The least number of stars. Optional."),
        sort_by: choice(["date", "stars"], "How the reviews are sorted. Default: date."),
      },
      undefined,
      ["play"],
    ),
    tool("hire_costume", "Hire a costume for an actor.", {
      role: text("Role that the costume is for."),
      size: choice(["S", "M", "L", "XL"], "Size of the costume."),
      nights: integer("For how many nights it is hired."),
    }),
  ],
  goals: [
    [
      "Book four balcony seats for 'The Seagull' at the Lyric in Belfast on March 9, 2025.",
      [
        [
          "book_seats",
          {
            play: "The Seagull",
            venue: any("Lyric, Belfast", "The Lyric, Belfast", "Lyric in Belfast"),
            date: "2025-03-09",
            seats: 4,
            category: "balcony",
          },
        ],
      ],
    ],
    [
      "Find me reviews of Uncle Vanya in The Guardian and the Irish Times with at least 4 stars, sorted by stars.",
      [
        [
          "find_reviews",
          {
            play: "Uncle Vanya",
            newspapers: any(
              ["The Guardian", "Irish Times"],
              ["The Guardian", "the Irish Times"],
              ["Guardian", "Irish Times"],
            ),
            min_stars: 4,
            sort_by: "stars",
          },
        ],
      ],
    ],
    ["What do the reviews of Arcadia say?", [["find_reviews", { play: "Arcadia", sort_by: maybe("date") }]]],
    [
      "Hire a costume for Hamlet in size L for 3 nights and one for Ophelia in size S for 5 nights.",
      [
        ["hire_costume", { role: "Hamlet", size: "L", nights: 3 }],
        ["hire_costume", { role: "Ophelia", size: "S", nights: 5 }],
      ],
    ],
    [
      "Get two stalls tickets for The Mousetrap at St. Martin's, London for 2025-06-12, and look for reviews of it in the Evening Standard.",
      [
        [
          "book_seats",
          {
            play: "The Mousetrap",
            venue: any("St. Martin's, London"),
            date: "2025-06-12",
            seats: 2,
            category: "stalls",
          },
        ],
        ["find_reviews", { play: "The Mousetrap", newspapers: ["Evening Standard"], sort_by: maybe("date") }],
      ],
    ],
  ],
};

const harbour: Trade = {
  tools: [
    tool(
      "tide_table",
      "Get the tide table of a port.",
      {
        port: text("Name of the port."),
        start_date: text("First day in YYYY-MM-DD."),
        end_date: text("Last day in YYYY-MM-DD."),
        units: choice(["metric", "imperial"], "Units of the heights. Default is metric."),
      },
      undefined,
      ["port", "start_date", "end_date"],
    ),
    tool(
      "sailing_time",
      "Calculate how long a passage takes.",
      {
        distance: number("Distance in nautical miles."),
        speed: number("Speed in knots."),
        current: number("Current along the course in knots, negative if against it. Default is 0."),
      },
      undefined,
      ["distance", "speed"],
    ),
    tool("reserve_berth", "Reserve a berth in a marina.", {
      marina: text("The name of the marina."),
      length: number("Length of the boat in metres."),
      arrival_time: text("Time of arrival, e.g. '14:30'."),
      nights: integer("Number of nights."),
    }),
  ],
  goals: [
    [
      "Give me the tides at Saint-Malo from 3 May 2025 to 10 May 2025 in feet, I prefer imperial.",
      [["tide_table", { port: "Saint-Malo", start_date: "2025-05-03", end_date: "2025-05-10", units: "imperial" }]],
    ],
    [
      "How long will it take me to sail 84 nautical miles at 6.5 knots with a current of 1.5 knots against me?",
      [["sailing_time", { distance: 84, speed: 6.5, current: -1.5 }]],
    ],
    [
      "How long does a passage of 120 nautical miles take at 5 knots, 6 knots and 7 knots?",
      [
        ["sailing_time", { distance: 120, speed: 5, current: maybe(0) }],
        ["sailing_time", { distance: 120, speed: 6, current: maybe(0) }],
        ["sailing_time", { distance: 120, speed: 7, current: maybe(0) }],
      ],
    ],
    [
      "Reserve a berth at Marina del Sol for my 11.3 metre boat. I'll arrive at 16:45 and stay for two nights.",
      [["reserve_berth", { marina: "Marina del Sol", length: 11.3, arrival_time: "16:45", nights: 2 }]],
    ],
  ],
};

const laundry: Trade = {
  tools: [
    tool(
      "wash_program",
      "Choose a program for a load of washing.",
      {
        fabric: text("Main fabric of the load (cotton, wool, silk, ...)."),
        weight: number("Weight of the load in kilograms."),
        temperature: integer("Temperature in degrees Celsius. Default is 40."),
        spin: flag("Spin at the end. Default is true."),
      },
      undefined,
      ["fabric", "weight"],
    ),
    tool(
      "price_quote",
      "Quote the price of cleaning garments.",
      {
        garments: {
          type: "array",
          items: {
            type: "object",
            properties: { kind: text("Kind of garment."), count: integer("How many.") },
            required: ["kind", "count"],
          },
          description: "The garments to clean.",
        },
        express: flag("Ready the next day."),
        discount: number("Discount as a fraction, e.g. 0.1 for 10%."),
      },
      undefined,
      ["garments"],
    ),
    tool(
      "remove_stain",
      "Tell how a stain is removed.",
      {
        stain: text("What made the stain, e.g. 'red wine'."),
        material: text("Material that is stained."),
        age_hours: number("Age of the stain in hours."),
      },
      undefined,
      ["stain", "material"],
    ),
  ],
  goals: [
    [
      "I have 3 kg of wool sweaters that must be washed at 30 degrees without spinning.",
      [["wash_program", { fabric: "wool", weight: 3, temperature: 30, spin: false }]],
    ],
    [
      "Which program should I choose for 5.5 kilograms of cotton?",
      [["wash_program", { fabric: "cotton", weight: 5.5, temperature: maybe(40), spin: maybe(true) }]],
    ],
    [
      "How do I get coffee out of a linen tablecloth? The stain is 2 hours old.",
      [["remove_stain", { stain: "coffee", material: any("linen", "linen tablecloth"), age_hours: 2 }]],
    ],
    [
      "How can I remove blackberry juice from silk, and engine oil from denim?",
      [
        ["remove_stain", { stain: "blackberry juice", material: "silk" }],
        ["remove_stain", { stain: "engine oil", material: "denim" }],
      ],
    ],
  ],
};

const observatory: Trade = {
  tools: [
    tool(
      "star.position",
      "Find the position of a star in the sky.",
      {
        star: text("The name of the star."),
        location: text("Where the observer is, city and state such as 'Flagstaff, AZ'."),
        time: text("Local time, for example '22:15'."),
        coordinates: choice(["horizontal", "equatorial"], "System of coordinates. Default is horizontal."),
      },
      undefined,
      ["star", "location"],
    ),
    tool(
      "orbit.period",
      "Compute the period of an orbit.",
      {
        semi_major_axis: number("Semi-major axis in kilometers."),
        central_mass: number("Mass of the central body in kg."),
      },
      undefined,
      ["semi_major_axis", "central_mass"],
    ),
    tool(
      "telescope_rent",
      "Rent time on a telescope.",
      {
        telescope: text("Name of the telescope."),
        hours: integer("Hours of observation."),
        filters: list(choice(["red", "green", "blue", "h-alpha"]), "Filters to use."),
        remote: flag("True for remote operation."),
      },
      undefined,
      ["telescope", "hours"],
    ),
  ],
  goals: [
    [
      "Where is Betelgeuse in the sky tonight at 23:30 seen from Tucson, Arizona?",
      [
        [
          "star.position",
          {
            star: "Betelgeuse",
            location: any("Tucson, AZ", "Tucson, Arizona"),
            time: "23:30",
            coordinates: maybe("horizontal"),
          },
        ],
      ],
    ],
    [
      "Find the equatorial positions of Vega, Deneb and Altair for an observer in Portland, Oregon.",
      ["Vega", "Deneb", "Altair"].map(
        (star): Call => [
          "star.position",
          { star, location: any("Portland, OR", "Portland, Oregon"), coordinates: "equatorial" },
        ],
      ),
    ],
    [
      "Compute the period of an orbit with a semi-major axis of 42,164 km around a body with a mass of 5.97e24 kg.",
      [["orbit.period", { semi_major_axis: 42164, central_mass: 5.97e24 }]],
    ],
    [
      "I'd like to rent the Hooker telescope for 4 hours with the red and h-alpha filters, operated remotely.",
      [
        [
          "telescope_rent",
          { telescope: any("Hooker", "Hooker telescope"), hours: 4, filters: ["red", "h-alpha"], remote: true },
        ],
      ],
    ],
  ],
};

const kitchen: Trade = {
  tools: [
    tool(
      "dough.hydration",
      "Compute the hydration of a dough.",
      {
        flour: number("Flour in grams."),
        water: number("Water in grams."),
        starter: number("Sourdough starter in grams. Optional."),
      },
      undefined,
      ["flour", "water"],
    ),
    tool(
      "menu.search",
      "Search menus that meet a diet.",
      {
        diet: text("The diet, such as 'vegan' or 'low-carb'."),
        course: choice(["starter", "main", "dessert"], "Course of the menu."),
        max_minutes: integer("Longest time of preparation in minutes."),
        exclude: list(text(), "Ingredients that must not be in it."),
      },
      undefined,
      ["diet"],
    ),
    tool("scale_recipe", "Scale a recipe to another number of servings.", {
      recipe: text("Name of the recipe."),
      servings: integer("Number of servings wanted."),
    }),
  ],
  goals: [
    [
      "What's the hydration of a dough made of 500 grams of flour, 350 grams of water and 100 grams of starter?",
      [["dough.hydration", { flour: 500, water: 350, starter: 100 }]],
    ],
    [
      "What's the hydration if I use 1000g flour with 650g water? And what if it is 700g water instead?",
      [
        ["dough.hydration", { flour: 1000, water: 650 }],
        ["dough.hydration", { flour: 1000, water: 700 }],
      ],
    ],
    [
      "Find gluten-free desserts without nuts or coconut that can be made in under 45 minutes.",
      [["menu.search", { diet: "gluten-free", course: "dessert", max_minutes: 45, exclude: ["nuts", "coconut"] }]],
    ],
    [
      "Scale the recipes for goulash and apple strudel to a dozen servings.",
      [
        ["scale_recipe", { recipe: "goulash", servings: 12 }],
        ["scale_recipe", { recipe: "apple strudel", servings: 12 }],
      ],
    ],
  ],
};

const stockroom: Trade = {
  tools: [
    tool(
      "stats.describe",
      "Compute a statistic of a series of measurements.",
      {
        values: list(number(), "The measurements."),
        statistic: choice(["mean", "median", "variance"], "The statistic to compute."),
        sample: flag("True if the values are a sample. Default is true."),
        decimals: integer("Number of decimals of the result. Default is 2."),
      },
      undefined,
      ["values", "statistic"],
    ),
    tool(
      "loan.instalment",
      "Calculate the monthly instalment of a machine loan.",
      {
        principal: number("The amount of the loan in dollars."),
        annual_rate: number("Interest rate a year as a decimal."),
        years: integer("Term of the loan in years."),
        down_payment: number("Amount paid at once. Default 0."),
      },
      undefined,
      ["principal", "annual_rate", "years"],
    ),
    tool(
      "employee.update",
      "Change the entry of an employee.",
      {
        employee_id: text("Id of the employee."),
        changes: {
          type: "object",
          description: "Fields to change.",
          properties: {
            department: text("New department."),
            salary: number("New salary."),
            email: text("New e-mail address."),
          },
        },
        notify: flag("Tell the employee by mail."),
      },
      undefined,
      ["employee_id", "changes"],
    ),
  ],
  goals: [
    [
      "Compute the median of 12.5, 13.1, 11.9, 14 and 12.7 to three decimals.",
      [
        [
          "stats.describe",
          { values: [12.5, 13.1, 11.9, 14, 12.7], statistic: "median", decimals: 3, sample: maybe(true) },
        ],
      ],
    ],
    [
      "What are the mean and the variance of [4, 8, 15, 16, 23, 42]?",
      ["mean", "variance"].map(
        (statistic): Call => [
          "stats.describe",
          { values: [4, 8, 15, 16, 23, 42], statistic, sample: maybe(true), decimals: maybe(2) },
        ],
      ),
    ],
    [
      "What would be the monthly instalment for a loan of $85,000 at 4.2% interest over 7 years with a down payment of $10,000?",
      [["loan.instalment", { principal: 85000, annual_rate: 0.042, years: 7, down_payment: 10000 }]],
    ],
    [
      "Calculate the instalments for a $20,000 loan over 5 years at an annual rate of 6%, and for a $30,000 loan over 10 years at an annual rate of 5.5%.",
      [
        ["loan.instalment", { principal: 20000, annual_rate: 0.06, years: 5, down_payment: maybe(0) }],
        ["loan.instalment", { principal: 30000, annual_rate: 0.055, years: 10, down_payment: maybe(0) }],
      ],
    ],
    [
      "Move employee E-3317 to the department of Quality Assurance with a salary of 52000 and let them know by mail.",
      [
        [
          "employee.update",
          { employee_id: "E-3317", changes: { department: "Quality Assurance", salary: 52000 }, notify: true },
        ],
      ],
    ],
  ],
};

const museum: Trade = {
  tools: [
    tool(
      "artifact.lookup",
      "Look up an artifact of the collection.",
      {
        name: text("Name of the artifact."),
        period: text("Historical period, e.g. 'Bronze Age'."),
        with_images: flag("Whether images are included."),
      },
      undefined,
      ["name"],
    ),
    tool(
      "guided_tour",
      "Arrange a guided tour.",
      {
        language: text("Language of the tour."),
        group_size: integer("Number of people."),
        topics: list(text(), "Topics of the tour."),
        wheelchair: flag("Accessible by wheelchair. Default is false."),
      },
      undefined,
      ["language", "group_size"],
    ),
    tool(
      "event.history",
      "Events of history in a country within years.",
      {
        country: text("Name of the country."),
        start_year: integer("The first year."),
        end_year: integer("The last year."),
        kind: choice(["War", "Economy", "Culture", "all"], "Kind of events. Default is 'all'."),
      },
      undefined,
      ["country", "start_year", "end_year"],
    ),
  ],
  goals: [
    [
      "Look up the Nebra Sky Disc from the Bronze Age and include images.",
      [
        [
          "artifact.lookup",
          { name: any("Nebra Sky Disc", "The Nebra Sky Disc"), period: "Bronze Age", with_images: true },
        ],
      ],
    ],
    [
      "Arrange a wheelchair accessible tour in Portuguese for 15 people about armour and medieval weapons.",
      [
        [
          "guided_tour",
          { language: "Portuguese", group_size: 15, topics: ["armour", "medieval weapons"], wheelchair: true },
        ],
      ],
    ],
    [
      "What cultural events happened in Sweden between 1890 and 1914?",
      [["event.history", { country: "Sweden", start_year: 1890, end_year: 1914, kind: "Culture" }]],
    ],
    [
      "List wars of Denmark and of Prussia from 1848 to 1866.",
      ["Denmark", "Prussia"].map(
        (country): Call => ["event.history", { country, start_year: 1848, end_year: 1866, kind: "War" }],
      ),
    ],
  ],
};

const clinic: Trade = {
  tools: [
    tool(
      "vet.dosage",
      "Compute the dose of a drug for an animal.",
      {
        drug: text("Name of the drug."),
        species: choice(["dog", "cat", "horse"], "Species of the animal."),
        weight_kg: number("Weight in kilograms."),
        age_years: number("Age in years. Optional."),
      },
      undefined,
      ["drug", "species", "weight_kg"],
    ),
    tool(
      "vet.appointment",
      "Make an appointment with a vet.",
      {
        owner: text("Full name of the owner."),
        pet_name: text("Name of the pet."),
        reason: text("Reason of the visit, e.g. 'vaccination'."),
        date: text("Day of the visit, MM/DD/YYYY."),
        urgent: flag("Set to true for emergencies."),
      },
      undefined,
      ["owner", "pet_name", "reason", "date"],
    ),
    tool(
      "sequence.match",
      "Compare two DNA sequences.",
      {
        first: text("First sequence."),
        second: text("Second sequence."),
        algorithm: text("Algorithm, 'global' or 'local'. Default is 'global'."),
      },
      undefined,
      ["first", "second"],
    ),
  ],
  goals: [
    [
      "What dose of meloxicam should a 23.5 kg dog of 7 years get?",
      [["vet.dosage", { drug: "meloxicam", species: "dog", weight_kg: 23.5, age_years: 7 }]],
    ],
    [
      "Compute the dose of ivermectin for my horse weighing 510 kg and the dose of praziquantel for my cat weighing 4.2 kg.",
      [
        ["vet.dosage", { drug: "ivermectin", species: "horse", weight_kg: 510 }],
        ["vet.dosage", { drug: "praziquantel", species: "cat", weight_kg: 4.2 }],
      ],
    ],
    [
      "Please make an appointment for Rita Alvarez with her pet Biscuit for a dental cleaning on August 14th, 2025.",
      [
        [
          "vet.appointment",
          {
            owner: "Rita Alvarez",
            pet_name: "Biscuit",
            reason: "dental cleaning",
            date: "08/14/2025",
            urgent: maybe(false),
          },
        ],
      ],
    ],
    [
      "Compare the sequence ACGTTAGC with ACGATAGC locally.",
      [["sequence.match", { first: "ACGTTAGC", second: "ACGATAGC", algorithm: "local" }]],
    ],
  ],
};

/** Goals of ten trades that no benchmark has, with the calls that a careful person would make. */
export const trades: Readonly<Record<string, Trade>> = {
  apiary,
  joinery,
  theatre,
  harbour,
  laundry,
  observatory,
  kitchen,
  stockroom,
  museum,
  clinic,
};
