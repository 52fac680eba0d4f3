import { type MaskRule, maskSpans, type Span } from "./mask.ts";
import { isRandom, isStandIn } from "./stand-in.ts";

/** Masks what URLs carry: passwords before the host, and signatures and keys among the parameters. */
export const secretUrls: MaskRule = (text, mask) => {
  if (!text.includes("=") && !text.includes("://")) return text;
  const hosts = maskSpans(text, AUTHORITY, userInfo, mask);
  return maskSpans(hosts, PARAMETER, parameter, mask);
};

/** Up to the last `@` of the authority; a careless password with a slash is taken too, unless it begins as a port. */
const AUTHORITY =
  /:\/\/([^\s/?#"'`<>\\@]{0,512}@[^\s/?#"'`<>\\]*|[^\s/?#"'`<>\\@:]{0,64}:(?!\d{1,5}[/?#])[^\s"'`<>\\@]{1,128}@)/g;

function userInfo(match: RegExpExecArray): readonly Span[] {
  const authority = match[1] ?? "";
  const info = authority.slice(0, authority.lastIndexOf("@"));
  const colon = info.indexOf(":");
  const secret = info.slice(colon + 1);
  const isSecret = colon < 0 ? isRandom(secret) : !isReference(secret);
  const from = match.index + 3 + colon + 1;
  return isSecret ? [{ from, to: from + secret.length }] : [];
}

/** In this place even the word "password" is one. */
const isReference = (secret: string) => isStandIn(secret) && !/^[a-z]+$/i.test(secret);

/** Names that say little elsewhere; `token`, `password` and their like are assignments anywhere. */
const PARAMETER =
  /(?:[?&#;](?:amp;)?|, ?)(key|code|auth|session|sid|sas|hmac|sig|signature|x-(?:amz|goog)-(?:signature|credential)|awsaccesskeyid)=([^&\s"'`<>#\\;]+)/gi;

function parameter(match: RegExpExecArray): readonly Span[] {
  const [all, name = "", value = ""] = match;
  if (isStandIn(value) || (all.startsWith(",") && !/^signature$/i.test(name))) return [];
  const signature = /^(?:sig|hmac|x-)|signature$/i.test(name) && value.length >= 8;
  const to = match.index + all.length;
  return signature || isRandom(value) ? [{ from: to - value.length, to }] : [];
}
