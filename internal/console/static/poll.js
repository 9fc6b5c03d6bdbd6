// Polls of messages: a person votes, sees the results, and who voted for what.

/** @import { Message, Poll, User } from '../types/wire.js' */
/** @import { Session } from './session.js' */
import { EmojiView } from './emoji.js';
import { api } from './http.js';
import { useAction, useQuery } from './state.js';
import { t } from './text.js';
import { relativeTime } from './time.js';
import { Dialog, html, Problem, Skeleton, Text, withoutDefault } from './ui.js';
import { Avatar, avatarOf, displayName, fullName } from './user.js';
import { useState } from './vendor/hooks.js';

/** @param {Message} message */
const pathOf = ({ channel_id: channel, id }) => `${api}/channels/${channel}/polls/${id}`;

/**
 * @param {Poll} poll
 * @param {number} id
 */
const countOf = ({ results }, id) => results?.answer_counts.find((c) => c.id === id) ?? { count: 0, me_voted: false };

/**
 * Voters lists the people who voted, by answer.
 * @param {{ message: Message, poll: Poll, session: Session, onClose: () => unknown }} props
 */
function Voters({ message, poll, session, onClose }) {
  const load = () =>
    Promise.all(
      poll.answers.map(async ({ answer_id: id, poll_media: { text } }) => {
        /** @type {{ users: User[] }} */
        const { users } = await session.client.get(`${pathOf(message)}/answers/${id}?limit=100`);
        return { id, text, users };
      }),
    );
  const { value, error } = useQuery(load, [message.id]);
  const lists = value?.map(
    ({ id, text, users }) => html`
      <section key=${id}>
        <h3><${Text} value=${text} max=${55} /> · ${users.length}</h3>
        <ul class="voters">
          ${users.map(
            (user) => html`
              <li key=${user.id}>
                <${Avatar} small name=${displayName(user)} id=${user.id} bot=${user.bot} image=${avatarOf(user)} />
                <${Text} value=${fullName(user)} max=${80} />
              </li>
            `,
          )}
        </ul>
      </section>
    `,
  );
  return html`
    <${Dialog} title=${t.voters} onClose=${onClose}>
      ${lists ?? (error ? null : html`<${Skeleton} lines=${4} />`)}
      <${Problem} error=${error} />
    <//>
  `;
}

/**
 * Answer is a row of a poll: the answer with its share, and the control to choose it while the user can vote.
 * @param {{ answer: Poll['answers'][0], poll: Poll, name: string, chosen: boolean, onChoose?: () => unknown }} props
 */
function Answer({ answer: { answer_id: id, poll_media: media }, poll, name, chosen, onChoose }) {
  const all = poll.results?.answer_counts.reduce((sum, c) => sum + c.count, 0) ?? 0;
  const { count, me_voted: mine } = countOf(poll, id);
  const kind = poll.allow_multiselect ? 'checkbox' : 'radio';
  return html`
    <li class=${mine ? 'mine' : ''}>
      <label>
        ${onChoose && html`<input type=${kind} name=${name} checked=${chosen} onChange=${onChoose} />`}
        <span class="answer">
          ${media.emoji && html`<${EmojiView} emoji=${media.emoji} />${' '}`}<${Text} value=${media.text} max=${55} />
        </span>
        ${mine && !onChoose && html`<span class="badge">${t.yourVote}</span>`}
        <span class="number">${count}</span>
      </label>
      <progress max="100" value=${all ? (100 * count) / all : 0} aria-hidden="true"></progress>
    </li>
  `;
}

/**
 * useVote returns the answers that the user has chosen, and the actions of a poll.
 * @param {Message} message
 * @param {Poll} poll
 * @param {Session} session
 */
function useVote(message, poll, session) {
  const [chosen, setChosen] = useState(/** @type {number[]} */ ([]));
  const vote = useAction(async (/** @type {number[]} */ ids) => {
    await session.client.put(`${pathOf(message)}/answers/@me`, { answer_ids: ids.map(String) });
    setChosen([]);
  });
  const end = useAction(() => session.client.post(`${pathOf(message)}/expire`));
  const choose = (/** @type {number} */ id) => {
    const others = poll.allow_multiselect ? chosen.filter((c) => c !== id) : [];
    setChosen(chosen.includes(id) && poll.allow_multiselect ? others : [...others, id]);
  };
  return { chosen, choose, vote, end };
}

/** @param {{ message: Message, poll: Poll, session: Session }} props */
export function PollView({ message, poll, session }) {
  const { question, answers, results } = poll;
  const { chosen, choose, vote, end } = useVote(message, poll, session);
  const [showsVoters, setShowsVoters] = useState(false);
  const voted = Boolean(results?.answer_counts.some((c) => c.me_voted));
  const ended = Boolean(results?.is_finalized);
  const canVote = !(ended || voted);
  const count = results?.answer_counts.reduce((sum, c) => sum + c.count, 0) ?? 0;
  const rows = answers.map(
    (answer) => html`
      <${Answer} key=${answer.answer_id} answer=${answer} poll=${poll} name=${message.id}
        chosen=${chosen.includes(answer.answer_id)} onChoose=${canVote ? () => choose(answer.answer_id) : undefined} />
    `,
  );
  const own = message.author?.id === session.userID;
  const until = poll.expiry ? t.pollEnds(relativeTime(new Date(poll.expiry))) : t.pollOpen;
  return html`
    <form class="poll" aria-label=${t.poll} onSubmit=${withoutDefault(() => vote.run(chosen))}>
      <p class="heading h3"><${Text} value=${question.text} max=${300} /></p>
      ${canVote && html`<p class="note">${poll.allow_multiselect ? t.chooseSeveral : t.chooseOne}</p>`}
      <ul>${rows}</ul>
      <p class="toolbar">
        <span class="note">${t.votes(count)} · ${ended ? t.pollEnded : until}</span>
        ${canVote && html`<button class="small primary" disabled=${vote.busy || !chosen.length}>${t.vote}</button>`}
        ${
          voted &&
          !ended &&
          html`<button type="button" class="small" onClick=${() => vote.run([])}>${t.removeVote}</button>`
        }
        <button type="button" class="small quiet" onClick=${() => setShowsVoters(true)}>${t.voters}</button>
        ${own && !ended && html`<button type="button" class="small quiet" onClick=${end.run}>${t.endPoll}</button>`}
      </p>
      <${Problem} error=${vote.error ?? end.error} />
      ${
        showsVoters &&
        html`<${Voters} message=${message} poll=${poll} session=${session} onClose=${() => setShowsVoters(false)} />`
      }
    </form>
  `;
}
