// track() for the stock OFREP providers of OpenFeature, which drop it: an event becomes a reward.
//
//   import { OFREPProvider } from "@openfeature/ofrep-provider"; // or OFREPWebProvider
//   import { tracking } from "./openfeature.js";
//   const Provider = tracking(OFREPProvider, { rewards: { purchase: "home" } });
//   await OpenFeature.setProviderAndWait(new Provider({ baseUrl, headers }));
//   client.track("purchase", { targetingKey }, { value: 1 });
//
// Which decision: the one whose token is in the attribute `decision` of the event; in a browser the
// one that was shown; otherwise that of the targeting key, for which a key of the service is needed.

const AGAIN = [429, 502, 503, 504]; // answers after which the same call is worth repeating
const LONGEST_PAUSE = 2000; // milliseconds
const MOST_AT_ONCE = 500;

export function tracking(Provider, { rewards, rewardOf = valueOrOne, patience = 30000 } = {}) {
  if (!rewards) throw new TypeError('say which events are rewards, such as { rewards: { purchase: "home" } }');

  return class extends Provider {
    #options;
    #waiting = [];
    #sending = null;
    #until = Infinity;

    constructor(options, ...rest) {
      super(options, ...rest);
      this.#options = options;
    }

    track(event, context, details) {
      for (const flag of [rewards[event] ?? []].flat()) {
        this.#waiting.push(this.#reward(flag, context, details));
      }
      if (this.#waiting.length) this.#sending ??= this.#send();
    }

    /** Wait until every reward has been taken, for `patience` milliseconds at most. */
    async flush() {
      this.#until = Date.now() + patience;
      await this.#sending;
      this.#until = Infinity;
    }

    async onClose() {
      await this.flush();
      await super.onClose?.();
    }

    #reward(flag, context, details) {
      const reward = rewardOf(details);
      const token = details?.decision ?? this.flagCache?.[flag]?.metadata?.decision;
      return token ? { token, reward } : { experiment: flag, unit: context?.targetingKey, reward };
    }

    async #send() {
      let pause = 50;
      while (this.#waiting.length) {
        const some = this.#waiting.slice(0, MOST_AT_ONCE);
        const taken = await this.#post(some);
        if (taken || Date.now() + pause > this.#until) {
          this.#waiting.splice(0, some.length);
          pause = 50;
        } else {
          await new Promise((done) => setTimeout(done, pause));
          pause = Math.min(2 * pause, LONGEST_PAUSE);
        }
      }
      this.#sending = null;
    }

    // whether the service has it, or never will; the same reward again does no harm
    async #post(some) {
      try {
        const made = await this.#options.headersFactory?.();
        const headers = new Headers([...list(this.#options.headers), ...list(made)]);
        headers.set("Content-Type", "application/json");
        const url = `${this.#options.baseUrl.replace(/\/$/, "")}/v1/rewards`;
        const body = JSON.stringify({ rewards: some });
        const answer = await fetch(url, { method: "POST", headers, body, keepalive: true });
        await answer.text();
        if (AGAIN.includes(answer.status)) return false;
        if (answer.status >= 400 && some.length === 1) {
          console.warn(`a reward was refused: status ${answer.status}`);
        } else if (answer.status >= 400) {
          for (const one of some) await this.#post([one]); // it must not keep the others from it
        }
        return true;
      } catch {
        return false; // nobody answers; again in a moment
      }
    }
  };
}

function list(headers) {
  return Array.isArray(headers) ? headers : Object.entries(headers ?? {});
}

// the value of an event; 1 if it has none, as it is something that was hoped for
function valueOrOne(details) {
  return details?.value ?? 1;
}
