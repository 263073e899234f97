import { planGoal } from "@planloom/embedded";
import type { Resource } from "@planloom/plan";
import { expect, test } from "vitest";
import { stepsOf } from "../support/plan-steps.ts";
import { text, tool } from "../support/tool-records.ts";

/** A document works: every input and output is text to the schema, and another medium to whoever reads the names. */
const works: readonly Resource[] = [
  tool("scan_page", "Scan a paper page into an image.", { tray: text("The tray the page lies in") }, { image: text() }),
  tool("extract_text", "Extract the text from an image.", { image: text("The image") }, { text: text() }),
  tool(
    "translate_text",
    "Translate a text to a language.",
    { text: text("The text to translate"), language: text("The language") },
    { text: text("The translated text") },
  ),
  tool("add_frame", "Put a frame around an image.", { image: text("The image") }, { image: text("The framed image") }),
  tool(
    "compare_texts",
    "Compare two texts and report what differs.",
    { left_text: text("One text"), right_text: text("The other text") },
    { report: text("What differs") },
  ),
  tool("summarise_text", "Make a summarization of a text.", { text: text("The text") }, { text: text("Its gist") }),
];

const planned = (goal: string, resources = works) =>
  stepsOf(planGoal(goal, resources).plan.planned_tasks).map(({ tool: name, params }) => [name, params]);

test("a file goes where its medium is wanted, and what converts it comes before", () => {
  expect(planned("Compare the text of 'old.png' with the text of 'new.png'.")).toEqual([
    ["extract_text", { image: "old.png" }],
    ["extract_text", { image: "new.png" }],
    ["compare_texts", { left_text: "${step[0].text}", right_text: "${step[1].text}" }],
  ]);
});

test("an output of another medium is no argument, though both are text to the schema", () => {
  expect(
    planned("Put a frame around the image 'sign.jpg', extract its text and translate the text to Polish."),
  ).toEqual([
    ["add_frame", { image: "sign.jpg" }],
    ["extract_text", { image: "${step[0].image}" }],
    ["translate_text", { text: "${step[1].text}", language: "Polish" }],
  ]);
});

test("words are no image", () => {
  const goal = "Extract the text from the image in the evening";
  expect(planned(goal, works.slice(1))).toEqual([["extract_text", {}]]);
});

test("one output fills one argument of a call", () => {
  const [, compare] = planned("Extract the text of 'page.png' and compare the two texts");
  const values = Object.values(compare?.[1] ?? {});
  expect(new Set(values).size).toBe(values.length);
});

test("a noun finds the verb's other noun: summary and summarization", () => {
  expect(planned("Give me a summary of the article 'notes.txt'")).toEqual([["summarise_text", { text: "notes.txt" }]]);
});

test("a call that lacks an argument gives way to a rival that lacks none", () => {
  const rivals: readonly Resource[] = [
    tool("answer_by_texts", "Answer a question.", { text: text("The text"), question: text() }, { answer: text() }),
    tool("answer_by_image", "Answer a question.", { image: text("The image"), question: text() }, { answer: text() }),
    tool("prune_hedge", "Prune a hedge.", { hedge: text() }, { cuttings: text() }),
  ];
  expect(planned("Answer the question 'Which flower is it?' with 'garden.jpg'", rivals)).toEqual([
    ["answer_by_image", { image: "garden.jpg", question: "Which flower is it?" }],
  ]);
});
