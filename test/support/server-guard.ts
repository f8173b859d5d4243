// Started next to the PostgreSQL of a test run (test-server.ts): stops it when the run's process ends, which closes standard input.
import { removeRun } from './test-server.ts';

const [folder = '', cluster = ''] = process.argv.slice(2);
process.stdin.resume();
process.stdin.on('end', () => void removeRun(folder, cluster));
