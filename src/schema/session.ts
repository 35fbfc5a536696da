// The answer that opens a browser session.
import { Type } from 'typebox';
import { Text, Timestamp, closed, described } from './scalar.js';

export const SessionAnswer = Type.Object(
  {
    session: described(Text, 'The half of the session for the header `x-evalstore-session`.'),
    expires: described(Timestamp, 'Expiry of the session.'),
  },
  { ...closed, title: 'Session' },
);

export const Success = Type.Object(
  { status: Type.Literal('ok', { description: 'Always `ok`.' }) },
  { ...closed, title: 'Success' },
);
