// The answer that opens a browser session.
import { Type } from 'typebox';
import { Text, Timestamp, Uuid, component, described } from './scalar.js';

export const SessionAnswer = component('Session', {
  session: described(Text, 'The half of the session for the header `x-evalstore-session`.'),
  expires: described(Timestamp, 'Expiry of the session.'),
  user_id: described(Uuid, 'User of the session.'),
});

export const Success = component('Success', {
  status: Type.Literal('ok', { description: 'Always `ok`.' }),
});
