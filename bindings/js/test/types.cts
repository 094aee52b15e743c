// The same types for `require`. Never run.

import toolgate = require('@toolgate/validator');

new toolgate.Validator(true).validate(1).verdict satisfies 'valid' | 'invalid' | 'undecided';
