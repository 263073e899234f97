import { answersAreRead } from "./endpoint/answers.ts";
import { finalAnswersEndTheCall } from "./endpoint/final-answers.ts";
import { forcedCallsAreMade } from "./endpoint/forced-calls.ts";
import { oddAnswersAreRead } from "./endpoint/odd-answers.ts";
import { refusedFormsAreSentOtherwise } from "./endpoint/refused-forms.ts";
import { type EndpointContractOptions, endpointSubject } from "./endpoint/subject.ts";

/** What every `Model` behind an OpenAI-compatible endpoint makes of what endpoints really do. Names say whose behaviour it is. */
export function endpointContract(name: string, options: EndpointContractOptions): void {
  const subject = endpointSubject(name, options);
  answersAreRead(subject);
  oddAnswersAreRead(subject);
  refusedFormsAreSentOtherwise(subject);
  forcedCallsAreMade(subject);
  finalAnswersEndTheCall(subject);
}
