/** A call that was understood but cannot be done. The message is written for a model: what is wrong and what to do instead. */
export class Failure extends Error {}
