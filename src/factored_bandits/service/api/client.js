// Decisions and rewards from a browser: FactoredBandits.ask("home", visitor) and .reward(token, 1).
// A token is the permission to reward its decision; to ask, a server of yours adds the key.
(function (root) {
  "use strict";
  var script = typeof document !== "undefined" && document.currentScript;
  var base = script && script.src ? new URL(".", script.src).href : "/";
  var queue = [];
  var timer = null;

  // text/plain, so that another origin needs no preflight; a beacon is sent though the page is left
  function send() {
    timer = null;
    if (!queue.length) return true;
    var body = JSON.stringify({ rewards: queue.splice(0, 100) });
    var url = base + "v1/rewards";
    if (root.navigator && navigator.sendBeacon && navigator.sendBeacon(url, body)) return send();
    return root.fetch(url, { method: "POST", body: body, keepalive: true, mode: "no-cors" });
  }

  // a decision without a token was made while the database was away: no reward is learned for it
  function reward(token, value) {
    if (!token) return;
    queue.push({ token: String(token), reward: value === undefined ? 1 : value });
    if (timer === null) timer = setTimeout(send, 0);
  }

  function ask(experiment, unit) {
    var url = base + "v1/experiments/" + encodeURIComponent(experiment) + "/decisions";
    var body = JSON.stringify(unit === undefined ? {} : { units: [String(unit)] });
    return root.fetch(url, { method: "POST", body: body }).then(function (answer) {
      if (!answer.ok) throw new Error("no decision: status " + answer.status);
      return answer.json().then(function (found) { return found.decisions[0]; });
    });
  }

  if (root.addEventListener) root.addEventListener("pagehide", send);
  root.FactoredBandits = {
    ask: ask,
    reward: reward,
    flush: send,
    at: function (url) { base = url.replace(/\/?$/, "/"); },
  };
})(typeof window !== "undefined" ? window : globalThis);
