import { experimentsAsOfSuite } from '../suites/experiments-as-of.js';
import { sharedApp } from '../support/app.js';

describe('experiments as of a past position', function () {
  experimentsAsOfSuite(() => sharedApp());
});
