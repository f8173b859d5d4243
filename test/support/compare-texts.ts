// Runs before each test file: requires that a statement's name always has the same text.
import { compareTexts } from '../../src/store/sql/statements.ts';

compareTexts(true);
