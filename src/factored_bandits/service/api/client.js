// Rewards from a browser: FactoredBandits.reward(token, 1). A token is the permission, no key is needed.
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

  function reward(token, value) {
    queue.push({ token: String(token), reward: value === undefined ? 1 : value });
    if (timer === null) timer = setTimeout(send, 0);
  }

  if (root.addEventListener) root.addEventListener("pagehide", send);
  root.FactoredBandits = { reward: reward, flush: send, at: function (url) { base = url.replace(/\/?$/, "/"); } };
})(typeof window !== "undefined" ? window : globalThis);
