// Twenty bets against a bookmaker who knows only how common the condition is: a bet on it returns its lift on average.
const ROUNDS = 20;

const start = (place) => {
  const { outputs, p, allowed } = JSON.parse(place.dataset.game);
  const prior = p[0].reduce((sum, one) => sum + one, 0);
  const pays = [1 / prior, 1 / (1 - prior)];
  const percent = (value) => `${Number((100 * value).toFixed(1))} %`;
  const short = (value) => value.toFixed(2);
  const joint = outputs.map((_, y) => p[0][y] + p[1][y]);
  const lifts = [0, 1].map((s) => outputs.map((_, y) => (p[s][y] / joint[y]) * pays[s]));
  let drawn, bets;

  const element = (name, text = "", kind = "") => {
    const one = document.createElement(name);
    one.textContent = text;
    if (kind) one.className = kind;
    return one;
  };
  const button = (text, act) => {
    const one = element("button", text);
    one.type = "button";
    one.addEventListener("click", act);
    return one;
  };
  const said = element("p");
  said.setAttribute("role", "status");
  const result = element("p", "", "lift-result");
  result.setAttribute("role", "status");
  const buttons = element("div", "", "lift-bets");
  place.append(result, said, buttons);

  const draw = () => {
    let at = Math.random();
    for (const s of [0, 1]) for (const y of outputs.keys()) if ((at -= p[s][y]) < 0) return { s, y };
    return { s: 1, y: joint.findLastIndex((one) => one > 0) };
  };
  const ask = () => {
    drawn = draw();
    said.textContent = `Person ${bets.length + 1} of ${ROUNDS}. Released: ${outputs[drawn.y]}. ` +
      `Of all people ${percent(prior)} have the condition. Where do you put your coin?`;
  };
  const bet = (on) => {
    bets.push({ on, won: on === drawn.s ? pays[on] : 0 });
    const truth = drawn.s === 0 ? "The person has the condition" : "The person does not have the condition";
    result.textContent = on === null ? `${truth}.` : `${truth}: you get ${bets.at(-1).won ? short(pays[on]) : "nothing"}.`;
    if (bets.length < ROUNDS) ask(); else finish();
  };
  const finish = () => {
    const placed = bets.filter((one) => one.on !== null);
    const back = placed.reduce((sum, one) => sum + one.won, 0);
    said.textContent = (placed.length
      ? `You placed ${placed.length} coins and got ${short(back)} back, ${short(back / placed.length)} per coin. `
      : "You placed no coin. ") +
      `Over many people, a coin on the condition returns ${outputs.map((name, y) => `${short(lifts[0][y])} after “${name}”`).join(" and ")}, ` +
      `and one on its absence ${lifts[1].map(short).join(" and ")}: these are the lifts. ` +
      `The promise allows at most e^${short(allowed)} = ${short(Math.exp(allowed))} per coin on average, however you bet. ` +
      `What you won beyond that in ${ROUNDS} rounds is luck.`;
    buttons.replaceChildren(button("Play again", begin));
    buttons.firstChild.focus();
  };
  const begin = () => {
    bets = [];
    result.textContent = "";
    buttons.replaceChildren(
      button(`On the condition (pays ${short(pays[0])})`, () => bet(0)),
      button(`On its absence (pays ${short(pays[1])})`, () => bet(1)),
      button("No bet", () => bet(null)),
    );
    ask();
  };
  begin();
};
for (const place of document.querySelectorAll(".lift-betting:empty")) start(place);
