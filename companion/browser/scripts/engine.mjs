// What the page has of the worker: calls that are answered, told of on the way, and stopped by ending the worker.
export class Stopped extends Error {}

export class Engine {
  #script;
  #worker;
  #waiting = new Map();
  #next = 0;
  #ready;
  number = 0; // of workers ended: what one knew, the next does not

  constructor(worker = "worker.mjs") {
    this.#script = new URL(worker, import.meta.url);
  }

  // resolves once Python and the library are there; a stopped engine starts anew
  start(told = () => {}) {
    if (!this.#ready) {
      this.#worker = new Worker(this.#script, { type: "module" });
      this.#worker.onmessage = ({ data }) => this.#hear(data);
      this.#worker.onerror = (event) => this.#end(new Error(event.message || "the worker could not be started"));
      this.#ready = this.#send("start", {}, told);
      this.#ready.catch(() => this.#end(new Stopped("it did not start")));
    }
    return this.#ready;
  }

  async call(name, asked, told = () => {}) {
    await this.start(told);
    return this.#send(name, asked, told);
  }

  stop() {
    this.#end(new Stopped("stopped"));
  }

  #send(call, asked, told) {
    const id = this.#next++;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject, told });
      this.#worker.postMessage({ id, call, asked });
    });
  }

  #hear({ id, told, answer, failed }) {
    const waiting = this.#waiting.get(id);
    if (!waiting) return;
    if (told) return waiting.told(told);
    this.#waiting.delete(id);
    if (failed === undefined) waiting.resolve(answer);
    else waiting.reject(new Error(failed));
  }

  #end(why) {
    this.#worker?.terminate();
    this.number += 1;
    this.#ready = undefined;
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const one of waiting) one.reject(why);
  }
}

// one for all that a page does with Python
export const engine = new Engine();
