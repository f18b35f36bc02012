/**
 * Descriptors that another process passes with a packet: SCM_RIGHTS of unix(7), recvmsg(2).
 * @module
 */
import { libc } from "./libc.ts";

const PAGE = 4096n, PROT_READ_WRITE = 3, MAP_PRIVATE_ANONYMOUS = 0x22;
const MSG_DONTWAIT_CLOEXEC = 0x40000040;
/** SCM_MAX_FD: descriptors of a packet. */
const MAX_DESCRIPTORS = 253;
/** Offsets in the page of struct iovec, struct cmsghdr and the content; struct msghdr is first. */
const IOVEC_AT = 64n, CONTROL_AT = 96n, CONTENT_AT = 2048n;
/** Length of the control data in struct msghdr; of struct cmsghdr without descriptors. */
const LENGTH_AT = 40n, HEADER_BYTES = 16;
const CONTROL_BYTES = HEADER_BYTES + 4 * MAX_DESCRIPTORS;

let page = 0n;

/**
 * The next packet of a socket, of 2 KiB at most.
 *
 * @returns Bytes of the packet, negative if there is none, and the descriptors with it.
 */
export function receivePassed(
  socket: number,
  packet: Uint8Array,
): { size: number; fds: readonly number[] } {
  const { peek, poke, mmap, recvmsg } = libc();
  page ||= mmap(0n, PAGE, PROT_READ_WRITE, MAP_PRIVATE_ANONYMOUS, -1, 0n);
  const header = new BigUint64Array([
    ...[0n, 0n, page + IOVEC_AT, 1n, page + CONTROL_AT, BigInt(CONTROL_BYTES), 0n, 0n],
    ...[page + CONTENT_AT, BigInt(packet.length), 0n, 0n, 0n, 0n],
  ]);
  poke(page, new Uint8Array(header.buffer), BigInt(header.byteLength));
  const size = Number(recvmsg(socket, page, MSG_DONTWAIT_CLOEXEC));
  if (size < 0) return { size, fds: [] };
  peek(packet, page + CONTENT_AT, BigInt(size));
  const length = new BigUint64Array(1), control = new Int32Array(CONTROL_BYTES / 4);
  peek(new Uint8Array(length.buffer), page + LENGTH_AT, 8n);
  peek(new Uint8Array(control.buffer), page + CONTROL_AT, BigInt(CONTROL_BYTES));
  const end = length[0] === 0n ? 0 : Math.min(Number(length[0]), control[0]);
  return { size, fds: [...control.slice(HEADER_BYTES / 4, Math.max(0, end >> 2))] };
}
