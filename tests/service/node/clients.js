// The real SDKs of OpenFeature with their stock OFREP providers, and with ours that add track().
// node clients.js URL KEY: prints what they saw, as one line of JSON.
import { OFREPProvider } from "@openfeature/ofrep-provider";
import { OFREPWebProvider } from "@openfeature/ofrep-web-provider";
import { OpenFeature as Server } from "@openfeature/server-sdk";
import { OpenFeature as Web } from "@openfeature/web-sdk";

const [baseUrl, key] = process.argv.slice(2);
const { tracking } = await import(`data:text/javascript,${encodeURIComponent(await (await fetch(`${baseUrl}/openfeature.js`)).text())}`);
const headers = [["Authorization", `Bearer ${key}`]];
const saw = {};

// on a server: a targeting key with each call
await Server.setProviderAndWait(new OFREPProvider({ baseUrl, headers }));
const client = Server.getClient();
const ada = { targetingKey: "Ada" };
saw.whole = await client.getObjectDetails("home", {}, ada);
saw.part = await client.getStringDetails("home.headline", "none", ada);
saw.missing = await client.getStringDetails("away.headline", "none", ada);
saw.nobody = await client.getStringDetails("home.headline", "none", {});
saw.mismatch = await client.getBooleanDetails("home.headline", false, ada);
client.track("purchase", ada, { value: 1 }); // dropped by the stock provider

const Tracking = tracking(OFREPProvider, { rewards: { purchase: "home", view: ["home"] } });
await Server.setProviderAndWait(new Tracking({ baseUrl, headers }));
for (let i = 0; i < 5; i++) {
  const who = { targetingKey: `visitor ${i}` };
  await client.getStringValue("home.headline", "none", who);
  client.track("scrolled", who); // no reward
  client.track("purchase", who, i === 0 ? { value: 0.5 } : undefined);
}
client.track("purchase", { targetingKey: "nobody was asked" });
client.track("purchase", {}); // whose? it is refused, alone
client.track("purchase", ada, { decision: saw.whole.flagMetadata.decision });
await Server.close(); // waits for the rewards

// in a browser: one targeting key, all flags at once, of the experiments that are named
const statuses = [];
const counting = async (...args) => {
  const answer = await fetch(...args);
  statuses.push(answer.status);
  return answer;
};
const options = { baseUrl, headers, cacheMode: "disabled", fetchImplementation: counting };
await Web.setContext({ targetingKey: "Bob" });
await Web.setProviderAndWait(new OFREPWebProvider(options));
saw.unnamed = Web.getClient().getObjectDetails("home", {});
await Web.clearProviders();

const WebTracking = tracking(OFREPWebProvider, { rewards: { purchase: "home" } });
await Web.setContext({ targetingKey: "Bob", experiments: ["home", "gone"] });
await Web.setProviderAndWait(new WebTracking(options));
const page = Web.getClient();
saw.named = page.getObjectDetails("home", {});
saw.string = page.getStringDetails("home.headline", "none");
saw.number = page.getNumberDetails("home.columns", -1);
saw.gone = page.getObjectDetails("gone", {});
await Web.setContext({ targetingKey: "Bob", experiments: ["home", "gone"], again: true }); // with its ETag
saw.again = page.getObjectDetails("home", {});
page.track("purchase", { value: 1 });
await Web.close();
saw.statuses = statuses;

console.log(JSON.stringify(saw));
