/**
 * The closed classes of English that a planner must know, and the general verbs of asking. Nothing here belongs to a
 * trade: what a goal is about comes from the resources alone.
 */
const words = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/).filter((word) => word !== ""));

export const determiners = words(`a an the this that these those each every all any some both such another other same
  my your our their its his her whose whichever`);
/** Point back at what was said before. */
export const possessives = words("their its his her");
export const demonstratives = words("this that these those such same");
export const distributive = words("each every");

export const prepositions = words(`in at near around within inside outside from to into toward towards by via through
  for with without of about on onto upon over under above below between among across per against regarding concerning
  using as like during after before since until behind beyond including excluding except than versus vs`);
/** Say where something is. */
export const placePrepositions = words("in at near around within inside across");

export const conjunctions = words("and or but nor plus otherwise");
export const auxiliaries = words(`is are was were be been being am has have had having do does did can could will would
  shall should may might must isn't aren't wasn't weren't don't doesn't didn't hasn't haven't hadn't cannot can't won't
  couldn't wouldn't shouldn't mustn't needn't shan't`);
export const relatives = words("which that who whom whose what where when why how");
export const pronouns = words("i me we us you he him she they them it myself yourself itself themselves there here");
export const negations = words(
  "not no never without non neither isn't aren't wasn't weren't don't doesn't didn't hasn't haven't hadn't cannot can't couldn't shouldn't mustn't",
);

/** Said around a request, with no meaning for a plan. */
export const fillers =
  words(`please pls plz kindly just also now so very really quite only even too well ok okay hi hello hey
  thanks thank want need like let's lets help able possible currently already still again back out up down off maybe
  perhaps simply directly respectively additionally furthermore moreover besides alternatively meanwhile afterwards
  specifically accordingly continuously lately currently properly kindly love wish planning looking trying going interested
  perhaps simply directly respectively there's i'd i'm i've we'd we're we've would'd etc`);
/** Open a subordinate clause that asks for nothing. */
export const subordinators = words(
  "once when after upon if while as since because following having given whenever unless although",
);
export const orderWords = words("then afterwards afterward subsequently thereafter finally lastly next later");
export const ordinals = words("first firstly second secondly third thirdly fourth fifth");

/** Heads that say nothing of what is meant: "order details" are orders. */
export const emptyNouns =
  words(`detail details information info data record records entry entries list lists listing result
  results overview item items set sets value values everything anything something stuff thing things one ones kind kinds
  type types content contents full complete existing available new current latest recent relevant related
  associated corresponding specific given certain various belong belongs belonging exist exists happen happened occur occurred come comes made different entire whole own general`);
/** They follow "in" or "at" without naming a place. */
export const abstractNouns = words(`total detail progress general particular order stock use time advance bulk parallel
  full person all turn short fact case summary addition comparison future past moment end beginning once
  first last least most random hand need place question response return charge question stages steps batches`);
/** They refer to what was found before. */
export const foundNouns = words(
  "finding findings outcome outcomes output outputs answer answers result results everything all data information",
);
/** A figure that somebody must compute from data. */
export const measureNouns = words(`rate rates ratio ratios share shares percentage percentages percent average averages
  mean median total totals sum sums count counts number numbers trend trends statistic statistics distribution
  frequency proportion ranking rankings correlation correlations comparison comparisons difference differences
  breakdown pattern patterns`);
export const superlatives = words(`highest lowest most least best worst biggest largest smallest greatest fewest longest
  shortest top bottom average total maximum minimum cheapest fastest slowest busiest oldest newest youngest more fewer less
  higher lower better worse bigger larger smaller`);
/** Ask for a computation over the data. */
export const computingVerbs = words(`compare rank aggregate correlate group sort count sum summarise summarize average
  total evaluate assess plot chart visualise visualize`);

export const identifierWords = words(
  "id ids identifier identifiers key keys uuid uuids guid code codes ref refs reference references number numbers no nr slug slugs handle uid uids iid iids gid gids sku skus isbn isbns barcode barcodes ean eans imei vin iban",
);
/** Strongest first: which output field names the row. */
export const identifierFields = [
  "id",
  "uid",
  "uuid",
  "guid",
  "identifier",
  "key",
  "code",
  "ref",
  "reference",
  "number",
  "slug",
  "handle",
  "no",
] as const;
export const placeWords = words(`location city place town village region district area site address country state
  province county zone neighbourhood neighborhood street venue campus branch territory locality municipality borough
  destination origin where place's postcode zip geography`);
/** Parts of a building or of an organisation: a parameter holds one where its name ends in such a word (`room`, not `room_type`). */
export const innerPlaceWords = words("room floor building department division ward wing");
export const personWords = words(`person people name user customer client author owner company organisation
  organization firm vendor supplier operator provider agent contact member employee staff partner who by manufacturer brand`);
/** People, one or many. */
export const peopleNouns = words(
  "person people user member author artist customer client employee contact student teacher patient staff crew cast team player owner",
);
/** Things that are called by names of people. */
export const calledLikePeople =
  words(`user person member assignee contact customer owner author responder employee people attendee player
  student pupil teacher trainer coach patient doctor guest tenant candidate applicant driver client agent manager worker staff child parent
  colleague subscriber lead donor volunteer resident`);
export const nameWords = words("name title label called named query search keyword keywords term text q");
export const contentWords =
  words(`text content contents body input document documents data message prompt source passage
  material context notes payload inputs findings information`);
export const instructionWords = words("prompt instruction instructions question query task goal request objective");
export const limitWords = words(`limit max maximum top count size rows results page per amount take cap first most
  number n quantity many returned return entries items length`);
export const startWords = words(
  "from start starts after since begin begins beginning earliest min minimum lower first gte gt opening departure checkin left",
);
export const endWords = words(
  "to end ends until till before latest max maximum upper last lte lt finish closing through return checkout by",
);
export const originWords = words(
  "from origin source start sender departure pickup old base input supplier vendor seller merchant",
);
export const targetWords = words("to destination target end receiver recipient arrival dropoff new output into");
export const dateWords = words("date day time datetime timestamp when month year week deadline due at on schedule");
/** Say how a parameter is meant, not what it holds. */
export const flagWords = words(`has have is are was were with include includes included only should can needs need
  allow allows enable enabled show with require requires required contains contain any be flag if whether`);
export const boundLow = words("min minimum least from above over lower gte gt floor");
export const boundHigh = words("max maximum most to below under upper lte lt ceiling");

/** Tags and honorifics that keep a name together or end in a point that ends no sentence. */
export const abbreviations = words(
  "mr mrs ms dr prof sr jr st vs etc inc ltd co corp no nr fig approx dept eg ie e.g i.e a.m p.m u.s jan feb mar apr jun jul aug sep sept oct nov dec",
);
/** What shortened words mean. */
export const spelledOut: ReadonlyMap<string, string> = new Map(
  "dr doctor,prof professor,st street,ave avenue,rd road,apt apartment,dept department,tel telephone,temp temperature,info information,lang language,app application,pic picture,pics picture,photo photograph,vid video,ad advertisement,ads advertisement,config configuration,repo repository,doc document,docs document,db database,min minute,mins minute,hr hour,hrs hour,qty quantity,org organisation,govt government,univ university,intl international"
    .split(",")
    .map((pair) => pair.split(" ") as [string, string]),
);
export const nameLinks = words("of de da del della der den von van la le du di el al and & the y");
/** Words after a number that multiply it. */
export const scales: ReadonlyMap<string, number> = new Map([
  ["hundred", 1e2],
  ["thousand", 1e3],
  ["million", 1e6],
  ["billion", 1e9],
  ["trillion", 1e12],
]);
/** In the name of a switch: it is on where something is left out. */
export const sparing = /^(?:avoid|exclude|skip|ignore|omit|hide|waive|suppress)(?:s|d|ed|ing)?$/;
/** Short forms of units, in small letters, as they are written behind a number. */
export const unitOfMeasure = /^(?:[mck]?g|t|[mcdh]?l|[kcm]?m|mi|lbs?|oz|hrs?|h|mins?|secs?|s|ms|k?wh?)$/;
