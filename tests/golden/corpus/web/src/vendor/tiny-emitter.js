/* tiny-emitter: a vendored copy of a small event emitter */
export class Emitter {
  constructor() {
    this.listeners = {};
  }

  on(name, listener) {
    (this.listeners[name] ??= []).push(listener);
    return this;
  }

  emit(name, ...values) {
    for (const listener of this.listeners[name] ?? []) {
      listener(...values);
    }
    return this;
  }
}
