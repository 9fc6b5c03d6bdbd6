// The form for a new poll.

/** @import { Session } from './session.js' */
import { api } from './http.js';
import { useAction } from './state.js';
import { t } from './text.js';
import { Checkbox, Dialog, html, Icon, IconButton, Input, Problem, Select, withoutDefault } from './ui.js';
import { useState } from './vendor/hooks.js';

const maxQuestion = 300;
const maxAnswer = 55;
const maxAnswers = 10;

/** How long a poll is open, in hours. */
const durations = [1, 4, 8, 24, 72, 168, 336];

/**
 * @typedef {object} PollDraft
 * @property {string} question
 * @property {string[]} answers
 * @property {string} hours
 * @property {boolean} several whether people can choose several answers
 */

/**
 * sendPoll sends a message with a poll. Answers without text are left out.
 * @param {Session} session
 * @param {string} channel
 * @param {PollDraft} poll
 */
function sendPoll(session, channel, { question, answers, hours, several }) {
  session.returnToLatest(channel);
  const given = answers.map((text) => text.trim()).filter(Boolean);
  const poll = {
    question: { text: question.trim() },
    answers: given.map((text) => ({ poll_media: { text } })),
    duration: Number(hours),
    allow_multiselect: several,
  };
  return session.client.post(`${api}/channels/${channel}/messages`, { poll });
}

/**
 * AnswerFields are the inputs of the answers. A new one follows when the last one has text.
 * @param {{ answers: string[], onAnswers: (answers: string[]) => unknown }} props
 */
function AnswerFields({ answers, onAnswers }) {
  const set = (/** @type {number} */ at, /** @type {string} */ text) =>
    onAnswers(answers.map((a, i) => (i === at ? text : a)));
  const remove = (/** @type {number} */ at) => onAnswers(answers.filter((_, i) => i !== at));
  const rows = answers.map(
    (answer, i) => html`
      <div class="poll-answer" key=${i}>
        <${Input} label=${t.answerNumber(i + 1)} value=${answer} maxlength=${maxAnswer} required=${i < 1}
          onValue=${(/** @type {string} */ text) => set(i, text)} />
        ${
          answers.length > 1 &&
          html`
            <${IconButton} icon="close" label=${t.removeNamed(t.answerNumber(i + 1))} onClick=${() => remove(i)} />
          `
        }
      </div>
    `,
  );
  return html`
    ${rows}
    ${
      answers.length < maxAnswers &&
      html`
        <p>
          <button type="button" class="small" onClick=${() => onAnswers([...answers, ''])}>
            <${Icon} name="plus" /> ${t.addAnswer}
          </button>
        </p>
      `
    }
  `;
}

/** @param {{ session: Session, channel: string, onClose: () => unknown }} props */
export function PollForm({ session, channel, onClose }) {
  const [poll, setPoll] = useState(
    /** @type {PollDraft} */ ({ question: '', answers: ['', ''], hours: '24', several: false }),
  );
  const set = (/** @type {Partial<PollDraft>} */ change) => setPoll((p) => ({ ...p, ...change }));
  const send = useAction(async () => {
    await sendPoll(session, channel, poll);
    onClose();
  });
  const complete = poll.question.trim() && poll.answers.some((a) => a.trim());
  return html`
    <${Dialog} title=${t.createPoll} onClose=${onClose}>
      <form class="stacked" onSubmit=${withoutDefault(send.run)}>
        <${Input} label=${t.pollQuestion} value=${poll.question} maxlength=${maxQuestion} required
          onValue=${(/** @type {string} */ question) => set({ question })} />
        <${AnswerFields} answers=${poll.answers}
          onAnswers=${(/** @type {string[]} */ answers) => set({ answers })} />
        <${Select} label=${t.pollDuration} value=${poll.hours}
          onValue=${(/** @type {string} */ hours) => set({ hours })}
          choices=${durations.map((hours) => [String(hours), t.hoursOrDays(hours)])} />
        <${Checkbox} label=${t.pollSeveral} value=${poll.several}
          onValue=${(/** @type {boolean} */ several) => set({ several })} />
        <${Problem} error=${send.error} />
        <footer>
          <button type="button" onClick=${onClose}>${t.cancel}</button>
          <button class="primary" disabled=${send.busy || !complete}>${t.send}</button>
        </footer>
      </form>
    <//>
  `;
}
