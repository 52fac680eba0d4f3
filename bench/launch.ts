// Runs a program and prints its peak resident memory in bytes. A process of its own and small, because on Linux a
// child's peak counts the memory of the process that started it.
const ran = Bun.spawnSync(process.argv.slice(2), { stdin: "ignore", stdout: 2, stderr: 2 });
console.log(ran.resourceUsage?.maxRSS ?? 0);
process.exitCode = ran.exitCode;
