// A masking function of the SDK that fails for all values but texts.
import { initLogger, setMaskingFunction } from 'braintrust';
import { report } from './report.mjs';

setMaskingFunction((value) => value.replaceAll('secret', '***'));
const logger = initLogger({ projectName: 'masking' });
logger.log({ input: 'the secret', output: { nested: 'secret' }, metadata: { key: 'secret' } });
await logger.flush();
report({ projectId: (await logger.project).id });
