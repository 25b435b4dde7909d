import { faultOf, type Outcome } from '../../machines/effect.js';
import { isMurError } from '../errors/index.js';

/**
 * What `act` gives as an `ok` outcome, or its `MurError` as a refusal. Any other throw is a bug and passes through, so that the
 * chart's `onError` names it.
 */
export async function outcomeOf<Value extends object>(act: () => Promise<Value> | Value): Promise<Outcome<Value>> {
  try {
    return { ok: true, ...(await act()) };
  } catch (error) {
    if (isMurError(error)) return { ok: false, fault: faultOf(error) };
    throw error;
  }
}
