// Reads a publish bundle, which `ferry publish --bundle` wrote: "FERRYBND", u32 version, u32 header length, a JSON header with
// the body of POST /packages and the list of sealed files, then those files. Nothing is decrypted or signed here.
const MAGIC = 'FERRYBND';
const FIXED_BYTES = 16;
const MAX_HEADER_BYTES = 16 * 1024 * 1024;

export interface BundleFile { publish: unknown; content: {sha256: string; blob: Blob}[] }

export async function readBundle(file: File): Promise<BundleFile> {
  const head = new DataView(await file.slice(0, FIXED_BYTES).arrayBuffer());
  if (head.byteLength < FIXED_BYTES) throw new Error(`${file.name} is too short for a publish bundle.`);
  const magic = String.fromCharCode(...new Uint8Array(head.buffer, 0, 8));
  if (magic !== MAGIC) throw new Error(`${file.name} is no publish bundle. Make one with: ferry publish --bundle`);
  if (head.getUint32(8, true) !== 1) throw new Error(`${file.name} has bundle version ${head.getUint32(8, true)}, wanted 1.`);
  const length = head.getUint32(12, true);
  if (length > MAX_HEADER_BYTES || FIXED_BYTES + length > file.size) throw new Error(`${file.name} ends inside its header.`);
  let header: {publish?: unknown; content?: {sha256: string; length: number}[]};
  try {
    header = JSON.parse(await file.slice(FIXED_BYTES, FIXED_BYTES + length).text());
  } catch {
    throw new Error(`${file.name} has a header that is not JSON.`);
  }
  if (!Array.isArray(header.content)) throw new Error(`${file.name} lists no content.`);
  let at = FIXED_BYTES + length;
  const content = header.content.map((item) => {
    const blob = file.slice(at, at + item.length);
    at += item.length;
    return {sha256: item.sha256, blob};
  });
  if (at !== file.size) throw new Error(`${file.name} has ${file.size} bytes, its header says ${at}.`);
  return {publish: header.publish, content};
}
