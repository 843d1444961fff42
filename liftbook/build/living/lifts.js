// Counts of people, by secret and symbol, to beliefs and lifts: closed forms, so that they run at once and from a file.
(() => {
  const sum = (values) => values.reduce((total, value) => total + value, 0);

  // for each symbol with people its posterior and lifts; secrets and symbols without people are left out of what is decided
  const measures = (counts) => {
    const total = sum(counts.flat());
    const prior = counts.map((row) => sum(row) / total);
    const symbols = counts[0].map((_, x) => {
      const people = sum(counts.map((row) => row[x]));
      const posterior = counts.map((row) => row[x] / people);
      const lifts = posterior.map((belief, s) => belief / prior[s]).filter((_, s) => prior[s] > 0);
      return { people, posterior, lifts, logPsi: Math.log(Math.min(...lifts)), logLambda: Math.log(Math.max(...lifts)) };
    });
    return { total, prior, symbols };
  };

  // whether a symbol keeps each notion at a budget: LIP at eps, LDP at twice that, which LIP implies
  const keeps = ({ logPsi, logLambda }, eps) => ({
    lip: -logPsi <= eps && logLambda <= eps,
    ldp: logLambda - logPsi <= 2 * eps,
  });

  // P_SX of the secrets and symbols that have people, with `at` and `of`, the places of those symbols and secrets in the counts
  const jointOf = (counts) => {
    const of = counts.map((_, s) => s).filter((s) => sum(counts[s]) > 0);
    const at = counts[0].map((_, x) => x).filter((x) => sum(counts.map((row) => row[x])) > 0);
    const total = sum(counts.flat());
    const p = of.map((s) => at.map((x) => counts[s][x] / total));
    const prior = p.map(sum);
    const mass = at.map((_, x) => sum(p.map((row) => row[x])));
    const shares = p.map((row, s) => row.map((one) => one / prior[s])); // P(x|s)
    const lifts = p.map((row, s) => row.map((one, x) => one / mass[x] / prior[s]));
    return { of, at, p, prior, mass, shares, lifts };
  };

  window.liftLiving = { ...window.liftLiving, sum, measures, keeps, jointOf };
})();
