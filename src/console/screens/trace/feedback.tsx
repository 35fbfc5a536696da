// Scores, comments and tags of a span, sent as feedback, which records its author.
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { discardDraft, hasDraft, useDraft } from '../../kit/drafts.js';
import { reportFailure, useIsShown } from '../../kit/failures.js';
import { timeText } from '../../kit/format.js';
import { useShortcuts } from '../../kit/shortcuts.js';
import { Failure } from '../../kit/states.js';
import { membersOf, type RawRow } from '../../json/scan.js';
import type { Source } from '../../server/clauses.js';
import { useMemberNames, userName } from '../../server/access.js';
import { tagRows, trimmed } from '../records/bulk.js';
import { commentsOf, giveFeedback, giveScore, type Comment } from '../../server/rows.js';
import { sessionSignal } from '../../server/session.js';

interface FeedbackProps {
  readonly source: Source;
  readonly id: string;
  readonly row: RawRow;
}

function useComments(source: Source, id: string) {
  return useQuery({
    queryKey: ['feedback', source.id, id],
    queryFn: ({ signal }) => commentsOf(source, id, signal),
  });
}

interface ScoreFormProps {
  readonly names: readonly string[];
  readonly give: (name: string, score: number) => void;
}

function ScoreForm({ give, names }: ScoreFormProps) {
  const [name, setName] = useState(names[0] ?? 'rating');
  return (
    <form
      className="inline-form"
      onSubmit={(event) => {
        event.preventDefault();
        give(name, Number(new FormData(event.currentTarget).get('value')));
      }}
    >
      <input
        className="short"
        aria-label="Name of the score"
        value={name}
        required
        onChange={(event) => setName(event.target.value)}
      />
      <input
        name="value"
        id="score-value"
        className="shorter"
        aria-label="Score from 0 to 1"
        type="number"
        min="0"
        max="1"
        step="any"
        required
      />
      <button type="submit">Score</button>
    </form>
  );
}

function TextForm(props: {
  readonly id: string;
  readonly draftKey: string;
  readonly label: string;
  readonly action: string;
  /** Returns whether it was saved. */
  readonly give: (text: string) => Promise<boolean>;
}) {
  const { draftKey } = props;
  const field = useRef<HTMLInputElement>(null);
  const draft = useDraft(draftKey, () => ({ text: '' }));
  const setText = (text: string) => {
    draft.change({ text });
    if (text === '') discardDraft(draftKey);
  };
  /** The texts that are being saved. */
  const [sending, setSending] = useState<readonly string[]>([]);
  // Keeps a text that was not saved, or that was changed meanwhile.
  const submit = async (text: string) => {
    field.current?.blur();
    setSending((before) => [...before, text]);
    const isSaved = await props.give(text);
    setSending((before) => before.filter((one) => one !== text));
    if (isSaved && draft.latest().text === text) setText('');
  };
  return (
    <form
      className="inline-form"
      onSubmit={(event) => {
        event.preventDefault();
        void submit(draft.state.text);
      }}
    >
      <input
        ref={field}
        id={props.id}
        className="medium"
        aria-label={props.label}
        placeholder={props.label}
        required
        value={draft.state.text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => event.key === 'Escape' && event.currentTarget.blur()}
      />
      <button type="submit" disabled={sending.includes(draft.state.text)}>
        {props.action}
      </button>
    </form>
  );
}

/** From 1 for the worst to 9 for the best. */
const scoreKeys = Array.from({ length: 9 }, (_, index) => [String(index + 1), index / 8] as const);

/** Their JSON texts, by name. */
function scoresOf(row: RawRow): ReadonlyMap<string, string> {
  const scores = row.get('scores') ?? 'null';
  return scores.startsWith('{') ? membersOf(scores) : new Map();
}

/** What became of the last write. */
interface Outcome {
  readonly isBad: boolean;
  readonly text: string;
  /** Restores the score that was replaced. */
  readonly undo?: () => void;
}

function useWrites(source: Source, id: string) {
  const client = useQueryClient();
  const [outcome, setOutcome] = useState<Outcome | null>(null);
  const isShown = useIsShown();
  // Writes run one after the other, so that a tag is added to those of the write before.
  const last = useRef<Promise<boolean>>(Promise.resolve(true));
  const save = async (
    write: () => Promise<void>,
    saved: () => Partial<Outcome>,
    session: AbortSignal,
  ): Promise<boolean> => {
    setOutcome(null);
    try {
      session.throwIfAborted();
      await write();
    } catch (refusal) {
      const { message } = refusal as Error;
      if (isShown.current && !session.aborted) setOutcome({ isBad: true, text: message });
      else reportFailure(session, `Feedback was not saved: ${message}`);
      return false;
    }
    setOutcome({ isBad: false, text: 'Saved', ...saved() });
    void client.invalidateQueries({ queryKey: ['feedback', source.id, id] });
    void client.invalidateQueries({ queryKey: ['trace'] });
    return true;
  };
  /** @param saved the outcome after the write */
  const give = (
    write: () => Promise<void>,
    saved: () => Partial<Outcome> = () => ({}),
  ): Promise<boolean> => {
    const session = sessionSignal();
    last.current = last.current.then(() => save(write, saved, session));
    return last.current;
  };
  return { outcome, give };
}

/** The scores as they are stored: those of the row, and those that were written since it was read. */
function useStoredScores(row: RawRow) {
  const latest = useRef(row);
  useEffect(() => {
    latest.current = row;
  }, [row]);
  const written = useRef({ row, scores: new Map<string, string>() });
  const current = () => {
    if (written.current.row !== latest.current)
      written.current = { row: latest.current, scores: new Map() };
    return written.current.scores;
  };
  return {
    scoreOf: (name: string): string =>
      current().get(name) ?? scoresOf(latest.current).get(name) ?? 'null',
    keep: (name: string, score: string) => current().set(name, score),
  };
}

function Comments({ given }: { readonly given: readonly Comment[] }) {
  const names = useMemberNames();
  return (
    <ul>
      {given.map(({ id: key, created, user_id, comment }) => (
        <li key={key}>
          <span className="muted">
            {timeText(created)} · {userName(names, user_id)}
          </span>{' '}
          <bdi>{comment}</bdi>
        </li>
      ))}
    </ul>
  );
}

export function Feedback({ source, id, row }: FeedbackProps) {
  const comments = useComments(source, id);
  const { outcome, give } = useWrites(source, id);
  const details = useRef<HTMLDetailsElement>(null);
  const stored = useStoredScores(row);
  const scoreNames = [...scoresOf(row).keys()];
  const writeScore = async (of: string, score: string) => {
    await giveScore(source, id, of, score);
    stored.keep(of, score);
  };
  const score = (name: string, value: number) => {
    const isNew = !scoreNames.includes(name);
    const of = isNew ? name.trim() : name;
    let before = 'null';
    const write = () => {
      if (isNew) trimmed('name', of);
      // An earlier write of the same score has ended by now.
      before = stored.scoreOf(of);
      return writeScore(of, String(value));
    };
    const undo = () =>
      void give(
        () => writeScore(of, before),
        () => ({ text: `Restored “${of}”` }),
      );
    void give(write, () => {
      const was = before === 'null' ? '' : `, was ${before}`;
      return { text: `Saved “${of}” ${value}${was}`, undo };
    });
  };
  const focus = (field: string) => () => {
    if (details.current !== null) details.current.open = true;
    document.getElementById(field)?.focus();
  };
  const name = scoreNames[0] ?? 'rating';
  const undo = outcome?.undo;
  useShortcuts([
    { key: 'c', label: 'Comment', run: focus('comment-text') },
    { key: 't', label: 'Tag', run: focus('tag-text') },
    ...scoreKeys.map(([key, value]) => ({
      key,
      label: `Score “${name}” ${value}`,
      run: () => score(name, value),
    })),
    ...(undo === undefined ? [] : [{ key: 'u', label: 'Undo the score', run: undo }]),
  ]);
  const given = comments.data?.comments ?? [];
  const draftKeys = { comment: `comment ${source.id} ${id}`, tag: `tag ${source.id} ${id}` };
  const [isOpen] = useState(hasDraft(draftKeys.comment) || hasDraft(draftKeys.tag));
  return (
    <>
      <details ref={details} className="field-section feedback" open={isOpen}>
        <summary>
          <h3>feedback</h3>
          {given.length > 0 && <span className="chip">{given.length}</span>}
          <span role="status" className={outcome?.isBad === true ? 'bad' : 'muted'}>
            {outcome?.text}
          </span>
          {undo !== undefined && (
            <button type="button" onClick={undo}>
              Undo
            </button>
          )}
        </summary>
        <div className="feedback-forms">
          <ScoreForm names={scoreNames} give={score} />
          <TextForm
            id="comment-text"
            draftKey={draftKeys.comment}
            label="Comment"
            action="Comment"
            give={(comment) => give(() => giveFeedback(source, [{ id, comment }]))}
          />
          <TextForm
            id="tag-text"
            draftKey={draftKeys.tag}
            label="Tag"
            action="Tag"
            give={(tag) => give(() => tagRows(source, [id], trimmed('tag', tag)))}
          />
        </div>
        <Comments given={given} />
      </details>
      {comments.error && <Failure error={comments.error} retry={comments.refetch} />}
    </>
  );
}
