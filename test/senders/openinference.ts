import { OpenAIInstrumentation } from '@arizeai/openinference-instrumentation-openai';
import OpenAI from 'openai';
import { traced } from './openai-agent.js';

// A program: OpenAI's client as OpenInference instruments it.
await traced(() => new OpenAIInstrumentation().manuallyInstrument(OpenAI));
