// The same types for `require`. Never run.

import toolsure = require('@toolsure/validator');

new toolsure.Validator(true).validate(1).verdict satisfies 'valid' | 'invalid' | 'undecided';
