"""Reference values for the package fingerprint.

python3 make_reference.py OUT

Made with scikit-learn 1.2.1, SciPy 1.10.1 and NumPy 1.24.2. The permutation tests are
brute force: every relabeling, one after the other, from the textbook formulas.
"""
import itertools
import json
import sys

import numpy as np
from scipy import stats
from sklearn.covariance import ledoit_wolf

rng = np.random.default_rng(20240607)
out = {"ledoit_wolf": [], "noncentral_f": [], "permutation": [], "effective_dimension": []}

# Ledoit-Wolf -------------------------------------------------------------------
for n, d, kind in [(5, 2, "normal"), (12, 3, "normal"), (30, 6, "correlated"), (8, 20, "normal"), (40, 5, "heavy"),
                   (25, 4, "flags"), (6, 1, "normal"), (100, 10, "correlated"), (16, 16, "correlated")]:
    X = rng.normal(size=(n, d))
    if kind == "correlated":
        X = X @ rng.normal(size=(d, d)) + 3
    if kind == "heavy":
        X = rng.standard_cauchy(size=(n, d))
    if kind == "flags":
        X = (X > 0.8).astype(float)
    X = np.round(X, 6)
    for centred in (False, True):
        Y = X - X.mean(0) if centred else X
        cov, shrinkage = ledoit_wolf(Y, assume_centered=centred)
        out["ledoit_wolf"].append({"rows": Y.tolist(), "centred": centred, "covariance": cov.tolist(), "shrinkage": float(shrinkage)})

# Power of Hotelling's test -------------------------------------------------------
for d, nb, nc, distance, alpha in [(1, 10, 10, 1.0, .05), (4, 10, 10, 1.5, .05), (4, 50, 20, .5, .01), (8, 100, 100, .5, .05),
                                   (14, 20, 20, 3, .05), (2, 3, 3, 6, .05), (20, 500, 500, .2, .1), (5, 1000, 900, .01, .001)]:
    df2 = nb + nc - d - 1
    critical = stats.f.isf(alpha, d, df2)
    out["noncentral_f"].append({"d": d, "baseline": nb, "candidate": nc, "distance": distance, "alpha": alpha,
                                "critical": float(critical),
                                "power": float(stats.ncf.sf(critical, d, df2, nb * nc / (nb + nc) * distance ** 2))})

# Permutation T2 on the shrunk covariance, and Westfall-Young step-down ------------
def relabelings(n, nc):
    for chosen in itertools.combinations(range(n), nc):
        mask = np.zeros(n, bool)
        mask[list(chosen)] = True
        yield mask

for nb, nc, d, shift in [(4, 4, 2, 1.5), (5, 4, 3, 1.0), (3, 6, 5, 2.0), (6, 6, 4, 0.8), (2, 7, 1, 1.0)]:
    X = np.round(rng.normal(size=(nb + nc, d)) @ (np.eye(d) + .5), 3)
    X[nb:, 0] += shift
    n = nb + nc
    Z = (X - X.mean(0)) / X.std(0)
    inverse = np.linalg.inv(ledoit_wolf(Z)[0])
    def t2(mask):
        diff = Z[mask].mean(0) - Z[~mask].mean(0)
        return diff @ inverse @ diff
    def each(mask):
        return np.abs(Z[mask].mean(0) - Z[~mask].mean(0))
    observed = np.arange(n) >= nb
    t_obs, c_obs = t2(observed), each(observed)
    order = np.argsort(-c_obs)
    hits, total, counts = 0, 0, np.zeros(d)
    for mask in relabelings(n, nc):
        total += 1
        hits += t2(mask) >= t_obs * (1 - 1e-9)
        c = each(mask)
        for rank in range(d):
            counts[order[rank]] += c[order[rank:]].max() >= c_obs[order[rank]] * (1 - 1e-9)
    adjusted = counts / total
    for a, b in zip(order, order[1:]):
        adjusted[b] = max(adjusted[a], adjusted[b])
    out["permutation"].append({"baseline": X[:nb].tolist(), "candidate": X[nb:].tolist(), "p": hits / total,
                               "relabelings": total, "adjusted": adjusted.tolist()})
    eigen = np.linalg.eigvalsh(Z.T @ Z / n)[::-1]
    out["effective_dimension"].append({"rows": X.tolist(), "participation": float(eigen.sum() ** 2 / (eigen ** 2).sum()),
                                       "components": int(np.argmax(np.cumsum(eigen) / eigen.sum() >= .95) + 1)})

json.dump(out, open(sys.argv[1], "w"))
