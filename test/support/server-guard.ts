// Started beside the PostgreSQL of a test run (test-server.ts): ends it when the run's process is gone, which closes the standard input.
import { removeRun } from './test-server.ts';

const [folder = '', cluster = ''] = process.argv.slice(2);
process.stdin.resume();
process.stdin.on('end', () => void removeRun(folder, cluster));
