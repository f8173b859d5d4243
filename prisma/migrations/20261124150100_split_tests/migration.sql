-- Split tests are steps as conditional splits are, with the branches left and right. The new values can be used when they are committed.
-- checked: no version before writes these, and what it reads of them is a split whose branches it does not know
alter type step_kind add value 'split_test';
-- checked: as above
alter type branch add value 'left';
-- checked: as above
alter type branch add value 'right';
