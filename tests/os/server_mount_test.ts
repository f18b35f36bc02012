/** Which directories are on a file server. */
import { assertEquals } from "@std/assert";
import { isOnServer, typeOfDevice } from "../../src/os/files/server_mount.ts";

const MOUNTS = `22 28 0:21 / /proc rw,nosuid - proc proc rw
28 1 254:1 / / rw,relatime shared:1 - ext4 /dev/vda1 rw
90 28 0:305 / /home rw,relatime shared:44 - nfs4 server:/home rw,vers=4.2
91 28 4095:1048575 / /scratch rw shared:45 master:2 - lustre mgs@tcp:/scratch rw
`;

/** As stat(2) has a device number: new_encode_dev(). */
const device = (major: number, minor: number) =>
  (minor & 0xff) + major * 256 + (minor - (minor & 0xff)) * 4096;

Deno.test("typeOfDevice() finds the file system of a device number, however large", () => {
  assertEquals(typeOfDevice(MOUNTS, device(254, 1)), "ext4");
  assertEquals(typeOfDevice(MOUNTS, device(0, 305)), "nfs4");
  assertEquals(typeOfDevice(MOUNTS, device(4095, 1048575)), "lustre");
  assertEquals(typeOfDevice(MOUNTS, device(8, 1)), undefined);
});

Deno.test("isOnServer() is false of memory, and of what is not there", () => {
  assertEquals(isOnServer("/dev/shm"), false);
  assertEquals(isOnServer("/proc/none"), false);
});
