// The address of a page. Long parameters are in its fragment, which browsers do not send, since servers and proxies limit what is sent.

/** The length up to which a parameter is in the query of the address, as it is sent. */
const sentMax = 2_000;

/** The URL that an address stands for, with all parameters in its query. */
export function urlOf(address: string): URL {
  const url = new URL(address);
  for (const [name, value] of new URLSearchParams(url.hash.slice(1)))
    url.searchParams.set(name, value);
  url.hash = '';
  return url;
}

export function addressOf(url: URL): string {
  const address = new URL(url);
  const long = new URLSearchParams();
  for (const [name, value] of url.searchParams) {
    if (new URLSearchParams({ [name]: value }).toString().length <= sentMax) continue;
    address.searchParams.delete(name);
    long.set(name, value);
  }
  address.hash = long.toString();
  return address.href;
}
