import { hasHole } from "./hole.ts";
import { ask, deny } from "./invocation.ts";
import { splitArguments } from "./options.ts";
import { named, onlyLooks, type Rule, type RuleTable, when } from "./rule.ts";
import { words } from "./words.ts";

const disk =
  (...looks: readonly string[]): Rule =>
  (invocation) =>
    onlyLooks(invocation, ...looks)
      ? undefined
      : deny("disk", `"${invocation.name}" changes disks and file systems`);

/** A file system in an image file is the user's own affair. */
const makeFileSystem: Rule = (invocation) => {
  if (onlyLooks(invocation, "-V", "-n")) return undefined;
  const { operands } = splitArguments(invocation.argv.slice(1), { short: "tLbmNiEOT" });
  const images =
    operands.length > 0 &&
    operands.every((path) => !path.startsWith("/dev") && !hasHole(path) && /[./]/.test(path));
  return images
    ? ask("disk", "It would make a file system in a file")
    : deny("disk", `"${invocation.name}" destroys what is on a disk`);
};

const MAKES_FILE_SYSTEMS = words(`
  mkfs mke2fs mkswap mkdosfs newfs newfs_apfs newfs_hfs mkntfs mkreiserfs
`);
const MKFS_KINDS = words(`
  ext2 ext3 ext4 xfs btrfs vfat fat ntfs f2fs exfat minix cramfs jfs reiserfs bfs msdos erofs nilfs2
  ubifs
`);

const DESTROYS = deny("disk", "It would destroy volumes or what is on a disk");

/** File systems, partitions, volumes. */
export const DISK_RULES: RuleTable = new Map([
  ...named([...MAKES_FILE_SYSTEMS, ...MKFS_KINDS.map((kind) => `mkfs.${kind}`)], makeFileSystem),
  ...named(["wipefs"], (invocation) =>
    invocation.argv.some((arg) => /^-[a-z]*[ao]|^--(all|offset)/.test(arg)) ? DESTROYS : undefined,
  ),
  ...named(
    ["fdisk", "cfdisk", "sfdisk", "gdisk", "cgdisk", "fixparts"],
    disk(
      "-l",
      "--list",
      "-x",
      "--list-details",
      "-d",
      "--dump",
      "-J",
      "--json",
      "-s",
      "-V",
      "-F",
      "--list-free",
    ),
  ),
  ...named(["sgdisk"], (invocation) =>
    invocation.argv
      .slice(1)
      .every((arg) => !arg.startsWith("-") || /^-(p|i\d*|v|-print|-info.*|-verify)$/.test(arg))
      ? undefined
      : DESTROYS,
  ),
  ...named(["parted", "partx", "partprobe", "growpart"], (invocation) =>
    onlyLooks(invocation, "-l", "--list", "print", "-s", "--show") &&
    !invocation.argv.some((arg) => /^(mk|rm|resize|set|name|rescue|delete)/.test(arg))
      ? undefined
      : DESTROYS,
  ),
  ...named(
    words(`
      blkdiscard lvremove vgremove pvremove lvreduce pvcreate vgreduce zeromem nwipe dban scrub
    `),
    disk(),
  ),
  ...named(["zpool", "zfs"], when(/\b(destroy|labelclear|rollback)\b/, DESTROYS)),
  ...named(["mdadm"], when(/--(zero-superblock|stop|remove|fail|create)|(^|\s)-[SC]/, DESTROYS)),
  ...named(
    ["cryptsetup"],
    when(/\b(luksFormat|erase|luksErase|luksKillSlot|reencrypt|luksRemoveKey)\b/, DESTROYS),
  ),
  ...named(
    ["hdparm"],
    when(/--(security-erase|trim-sector|make-bad|write-sector|fwdownload|yes-i-know)|-(Y|y)\b/, DESTROYS),
  ),
  ...named(["nvme"], when(/\b(format|sanitize|write|dsm|delete-ns|fw-)/, DESTROYS)),
  ...named(["dmsetup"], when(/\b(remove\w*|wipe_table)\b/, DESTROYS)),
  ...named(["format"], when(/^[a-z]:/i, DESTROYS)),
  ...named(["btrfs"], when(/\bsubvolume\s+delete\b|\bdevice\s+(remove|delete)\b/, DESTROYS)),
  ...named(
    ["efibootmgr"],
    when(/(^|\s)(-[a-zA-Z]*[BcCoO]|--(delete|create|bootorder))/, ask("disk", "It would change what boots")),
  ),
  ...named(
    ["mount"],
    when(
      /(^|\s)(--bind|--rbind|--move|-[BRM])(\s|$)|-o\s*\S*\b(bind|remount)\b|\s\/(etc|usr|bin|sbin|lib\w*|boot|home|root|dev|proc|sys|var)?\/?$/,
      ask("disk", "It would change what stands where in the file system"),
    ),
  ),
  ...named(["badblocks"], when(/(^|\s)-[a-z]*w/, DESTROYS)),
  ...named(
    ["diskutil"],
    when(
      /\b(erase\w*|partition\w*|zeroDisk|secureErase|reformat|apfs delete\w*|cs delete\w*|randomDisk)\b/i,
      DESTROYS,
    ),
  ),
  ...named(
    words(`
      tune2fs resize2fs debugfs xfs_repair e2fsck fsck swapoff swapon losetup umount
    `),
    (invocation) =>
      (invocation.name !== "losetup" && invocation.argv.some((arg) => /^-[a-z]*a$|^\/$/.test(arg))) ||
      invocation.argv.includes("-w")
        ? ask("disk", "It would change mounted disks")
        : undefined,
  ),
]);
