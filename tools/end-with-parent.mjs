// Loaded into a program that another process stands in for: when that one is killed, this one is asked to end.
process.channel?.unref();
process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'));
