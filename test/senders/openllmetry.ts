import { OpenAIInstrumentation } from '@traceloop/instrumentation-openai';
import OpenAI from 'openai';
import { traced } from './openai-agent.js';

// A program: OpenAI's client as OpenLLMetry instruments it.
await traced(() => new OpenAIInstrumentation().manuallyInstrument(OpenAI));
