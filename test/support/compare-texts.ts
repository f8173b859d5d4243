// Before each test file: a statement's name stands for one text.
import { compareTexts } from '../../src/store/sql/statements.ts';

compareTexts(true);
