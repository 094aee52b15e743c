// The same types for `require`. Never run.

import toolsure = require('@toolsure/validator');

new toolsure.Validator(true).check(1).verdict satisfies 'valid' | 'invalid' | 'undecided';
