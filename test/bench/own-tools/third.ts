import { catalogue, tool } from "./catalogue.ts";

/** Mostly of several steps, written after the second were read. */
export const third = [
  catalogue(
    "insurance",
    [
      tool(
        "find_policies",
        "Find policies",
        ["holder", "kind:e(car|home|health)", "status:e(active|lapsed)"],
        "policies[]: policy_id, holder, kind, status, premium:n, email",
        true,
      ),
      tool(
        "get_policy",
        "Get a policy",
        ["policy_id!"],
        "policy_id, holder, kind, premium:n, adjuster_id, email",
        true,
      ),
      tool(
        "list_claims",
        "List claims",
        ["policy_id", "status:e(open|approved|denied)", "after:d"],
        "claims[]: claim_id, policy_id, amount:n, status",
        true,
      ),
      tool(
        "open_claim",
        "Open a claim on a policy",
        ["policy_id!", "amount:n!", "description"],
        "claim_id, status",
        false,
      ),
      tool("approve_claim", "Approve a claim", ["claim_id!"], undefined, false),
      tool("deny_claim", "Deny a claim", ["claim_id!", "reason!"], undefined, false),
      tool("adjuster", "Contact details of an adjuster", ["adjuster_id!"], "adjuster_id, name, phone, email", true),
      tool("send_mail", "Send an email", ["to!", "subject", "text!"], undefined, false),
      tool("renew_policy", "Renew a policy", ["policy_id!", "months:i"], undefined, false),
    ],
    [
      [
        "find the active car policies of Jonas Weber and renew them",
        "find_policies(holder=Jonas Weber; kind=car; status=active) > renew_policy(policy_id=@find_policies)",
      ],
      [
        "open a claim of 900 on policy P-77 and approve it",
        "open_claim(policy_id=P-77; amount=900) > approve_claim(claim_id=@open_claim)",
      ],
      [
        "list the open claims of P-5, then deny claim C-9 because it is fraud",
        "list_claims(policy_id=P-5; status=open) > deny_claim(claim_id=C-9; reason=it is fraud|fraud)",
      ],
      ["who is the adjuster of policy P-12?", "get_policy(policy_id=P-12) > adjuster(adjuster_id=@get_policy)"],
      [
        "get policy P-3 and email its holder that the premium will rise",
        "get_policy(policy_id=P-3) > send_mail(to=@get_policy; text=the premium will rise)",
      ],
      ["approve every open claim", "list_claims(status=open) > approve_claim(claim_id=@list_claims)"],
      [
        "renew policy P-8 for 12 months and tell jo@x.org that it is renewed",
        "renew_policy(policy_id=P-8; months=12) > send_mail(to=jo@x.org; text=it is renewed)",
      ],
      [
        "list the claims of all lapsed policies",
        "find_policies(status=lapsed) > list_claims(policy_id=@find_policies)",
      ],
      [
        "renew all active home policies for 24 months",
        "find_policies(kind=home; status=active) > renew_policy(policy_id=@find_policies; months=24)",
      ],
      [
        "show me claims since October 1 and the active health policies",
        "list_claims(after=2026-10-01) > find_policies(kind=health; status=active)",
      ],
      ["open claims of P-5 above 1000", "list_claims(policy_id=P-5; status=open) || ASK"],
    ],
  ),
  catalogue(
    "newsroom",
    [
      tool(
        "stories",
        "List stories",
        ["desk:e(politics|sports|culture)", "status:e(draft|review|live)", "reporter"],
        "stories[]: story_id, headline, desk, status, reporter",
        true,
      ),
      tool("story", "Read a story", ["story_id!"], "story_id, headline, body, reporter, editor_id", true),
      tool(
        "write_story",
        "Write a new story",
        ["headline!", "body!", "desk:e(politics|sports|culture)!"],
        "story_id",
        false,
      ),
      tool("publish_story", "Publish a story", ["story_id!"], "url", false),
      tool("unpublish_story", "Take a story offline", ["story_id!", "reason"], undefined, false),
      tool("assign_reporter", "Assign a story to a reporter", ["story_id!", "reporter!"], undefined, false),
      tool("summarise", "Summarise a text", ["text!", "sentences:i"], "summary", true),
      tool("translate", "Translate a text", ["text!", "language!"], "text", true),
      tool("push_alert", "Send a push alert to readers", ["message!", "url"], undefined, false),
    ],
    [
      ["read story 88 and summarise it in 3 sentences", "story(story_id=88) > summarise(text=@story; sentences=3)"],
      [
        "summarise story 88 and translate the summary into Polish",
        "story(story_id=88) > summarise(text=@story) > translate(text=@summarise; language=Polish|pl)",
      ],
      [
        "publish story 12 and send an alert saying it is out",
        "publish_story(story_id=12) > push_alert(message=it is out) || publish_story(story_id=12) > push_alert(message=it is out; url=@publish_story)",
      ],
      [
        "publish all culture stories in review",
        "stories(desk=culture; status=review) > publish_story(story_id=@stories)",
      ],
      [
        "assign story 5 to Mina Okoye, then list her stories",
        "assign_reporter(story_id=5; reporter=Mina Okoye) > stories(reporter=Mina Okoye)",
      ],
      ["take story 7 offline because the source withdrew", "unpublish_story(story_id=7; reason=the source withdrew)"],
      [
        'write a sports story with the headline "Cup final" and the body "tba", then publish it',
        "write_story(headline=Cup final; body=tba; desk=sports) > publish_story(story_id=@write_story)",
      ],
      ["which drafts does Ben Ito have", "stories(status=draft; reporter=Ben Ito)"],
      [
        "list live politics stories and drafts of sports",
        "stories(desk=politics; status=live) > stories(desk=sports; status=draft)",
      ],
      ["translate story 9 into Greek", "story(story_id=9) > translate(text=@story; language=Greek|el)"],
    ],
  ),
  catalogue(
    "restaurant",
    [
      tool(
        "free_tables",
        "Find free tables",
        ["date:d!", "time", "guests:i"],
        "tables[]: table_id, seats:i, area",
        true,
      ),
      tool("book_table", "Book a table", ["table_id!", "guest_name!", "date:d!", "time"], "booking_id", false),
      tool(
        "bookings",
        "Bookings of a day",
        ["date:d!", "guest_name"],
        "bookings[]: booking_id, guest_name, table_id, time, phone",
        true,
      ),
      tool("cancel_booking", "Cancel a booking", ["booking_id!"], undefined, false),
      tool(
        "menu",
        "Dishes on the menu",
        ["category:e(starter|main|dessert)", "vegan:b", "max_price:n"],
        "dishes[]: dish_id, name, price:n, category",
        true,
      ),
      tool("sold_out", "Mark a dish as sold out", ["dish_id!"], undefined, false),
      tool("change_price", "Change the price of a dish", ["dish_id!", "price:n!"], undefined, false),
      tool("text_guest", "Send a text message to a guest", ["phone!", "message!"], undefined, false),
      tool("order_supplies", "Order supplies", ["item!", "kg:n!", "supplier"], "order_id", false),
    ],
    [
      ["free tables for 4 on Saturday at 19:00", "free_tables(date=2026-12-05; time=19:00; guests=4)"],
      [
        "cancel the booking of Olsen on December 3",
        "bookings(date=2026-12-03; guest_name=Olsen) > cancel_booking(booking_id=@bookings)",
      ],
      [
        "text everyone with a booking tomorrow that we open at 18:00",
        "bookings(date=2026-11-30) > text_guest(phone=@bookings; message=we open at 18:00)",
      ],
      ["vegan mains under 20 euros", "menu(category=main; vegan=true; max_price=20)"],
      ["raise the price of dish D-4 to 18.50", "change_price(dish_id=D-4; price=18.5)"],
      ["D-9 is sold out", "sold_out(dish_id=D-9) || REFUSE"],
      ["mark all desserts as sold out", "menu(category=dessert) > sold_out(dish_id=@menu)"],
      [
        "order 12 kg of flour from Molen and 5 kg of sugar",
        "order_supplies(item=flour; kg=12; supplier=Molen) > order_supplies(item=sugar; kg=5) || order_supplies(item=flour; kg=12; supplier=Molen) > order_supplies(item=sugar; kg=5; supplier=Molen)",
      ],
      [
        "book table T-3 for Olsen on December 5 at 20:00 and text 0170 5551234 that it is booked",
        "book_table(table_id=T-3; guest_name=Olsen; date=2026-12-05; time=20:00) > text_guest(phone=0170 5551234; message=it is booked)",
      ],
      ["who has a booking today?", "bookings(date=2026-11-29)"],
      ["is there a table for two tonight", "free_tables(date=2026-11-29; guests=2)"],
    ],
  ),
  catalogue(
    "airport",
    [
      tool(
        "departures",
        "List departures",
        ["date:d", "destination", "airline", "status:e(scheduled|delayed|cancelled|boarding)"],
        "flights[]: flight_id, number, destination, gate, status, departs_at",
        true,
      ),
      tool("flight", "Status of a flight", ["number!"], "flight_id, number, gate, status, departs_at", true),
      tool("change_gate", "Move a flight to another gate", ["flight_id!", "gate!"], undefined, false),
      tool("announce", "Make an announcement", ["text!", "gate"], undefined, false),
      tool(
        "passengers",
        "Passengers of a flight",
        ["flight_id!", "checked_in:b"],
        "passengers[]: passenger_id, name, seat, email",
        true,
      ),
      tool("rebook", "Rebook a passenger on another flight", ["passenger_id!", "flight_id!"], undefined, false),
      tool(
        "lost_items",
        "Search the lost property office",
        ["description!", "found_after:d"],
        "items[]: item_id, description, found_on",
        true,
      ),
      tool("return_item", "Hand a lost item back", ["item_id!", "passenger_id!"], undefined, false),
      tool("call_taxi", "Call a taxi", ["terminal:i!", "persons:i"], undefined, false),
    ],
    [
      ["delayed departures to Oslo today", "departures(date=2026-11-29; destination=Oslo; status=delayed)"],
      [
        "move flight F-31 to gate B12 and announce at gate B12 that boarding is delayed",
        "change_gate(flight_id=F-31; gate=B12) > announce(text=boarding is delayed; gate=B12)",
      ],
      ["what gate does LH2031 leave from?", "flight(number=LH2031)"],
      ["rebook passenger PX-4 on flight F-9", "rebook(passenger_id=PX-4; flight_id=F-9)"],
      [
        "rebook all passengers of F-7 on F-9",
        "passengers(flight_id=F-7) > rebook(passenger_id=@passengers; flight_id=F-9)",
      ],
      ["announce that the lounge is closed", "announce(text=the lounge is closed)"],
      ["search the lost property for a green umbrella", "lost_items(description=a green umbrella|green umbrella)"],
      ["call a taxi to terminal 2 for 3 persons", "call_taxi(terminal=2; persons=3)"],
      ["passengers of F-7 who have not checked in", "passengers(flight_id=F-7; checked_in=false)"],
      ["is LH2031 on time?", "flight(number=LH2031)"],
      ["hand item I-5 back to passenger PX-2", "return_item(item_id=I-5; passenger_id=PX-2)"],
      ["cancelled flights of Widerøe tomorrow", "departures(date=2026-11-30; airline=Widerøe; status=cancelled)"],
    ],
  ),
];
