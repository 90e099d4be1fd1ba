/** The words in which scripts say which answers they change. */
import { resultAnswer } from './base-answers.ts';
import type { Answer, Call, Chunks, Script } from './misbehaviour.ts';
import type { JsonObject } from './served-skill.ts';

type Reply = (call: Call, usual: () => Answer) => Answer;

/** Replaces the answers to one method. */
export function onMethod(method: string, reply: Reply): Script {
  return { answer: (call, usual) => (call.method === method ? reply(call, usual) : usual()) };
}

/** Replaces the answers to reads of one file. */
export function onRead(uri: string, reply: Reply): Script {
  return onMethod('resources/read', (call, usual) => (call.params['uri'] === uri ? reply(call, usual) : usual()));
}

/** Changes the results of one method, and leaves its errors. */
export function changing(method: string, change: (result: JsonObject, call: Call) => JsonObject): Script {
  return onMethod(method, (call, usual) => changed(usual(), (result) => change(result, call)));
}

export function changed(answer: Answer, change: (result: JsonObject) => JsonObject): Answer {
  return answer.kind === 'result' ? resultAnswer(change(answer.result)) : answer;
}

/** One message whose text is given. */
export function rawAnswer(text: string): Answer {
  return { kind: 'raw', chunks: () => [text] };
}

export function rawChunks(chunks: Chunks): Answer {
  return { kind: 'raw', chunks };
}

/** What stands in front of and behind a hole in the result of a call, so that something long can be streamed into it. */
export function aroundHole(call: Call, answer: Answer, place: (result: JsonObject) => JsonObject): [string, string] {
  const result = answer.kind === 'result' ? place(answer.result) : {};
  const [head = '', tail = ''] = JSON.stringify({ jsonrpc: '2.0', id: call.id, result }).split(`"${hole}"`);
  return [head, tail];
}

/** Stands for what {@link aroundHole} leaves out. */
export const hole = 'here-comes-something-long';
