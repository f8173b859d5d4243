// Runs before each test file.
import { showLastAnswers } from './last-answers.ts';

showLastAnswers();
