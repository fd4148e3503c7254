import { experimentsAsOfSuite } from '../suites/experiments-as-of.js';
import { sharedApp } from '../support/app.js';

describe('experiments as of a past position', function () {
  this.timeout(120_000);
  experimentsAsOfSuite(() => sharedApp());
});
