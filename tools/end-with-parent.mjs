// Loaded into a program that another process stands in for: when that one is gone, this one is asked to end. With a channel between
// them the end is noticed at once; the shell that npm puts in between has none, and passes no signal on.

const LOOK_MS = 250;
const end = () => process.kill(process.pid, 'SIGTERM');

if (process.channel) {
  process.channel.unref();
  process.once('disconnect', end);
} else {
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    end();
  }, LOOK_MS);
  timer.unref();
}
