"""SQL by hand, over a small world with NULLs, times of day, texts that differ by case, and rows that are alike.

(gold query, whether the order counts, queries that mean the same, queries that mean something else.) The label of a query is
what SQLite gives on the databases below: the same rows on all of them, or other rows on one.
"""

from typing import Any

SCHEMA = (
    "CREATE TABLE lab (id INTEGER PRIMARY KEY, name TEXT, city TEXT, head TEXT);\n"
    "CREATE TABLE probe (id INTEGER PRIMARY KEY, lab_id INTEGER, taken TEXT, ph REAL, kind TEXT, parent INTEGER);"
)
DATABASES: list[dict[str, list[list[Any]]]] = [
    {
        "lab": [[1, "Aster", "Bern", "Ida"], [2, "aster", "Graz", None], [3, "Birch", None, "Noa"], [4, "Cedar", "Bern", "Ida"]],
        "probe": [
            [1, 1, "2024-02-29 23:59", 6.5, "soil", None], [2, 1, "2024-03-01 00:00", 7.0, "water", 1],
            [3, 2, "2024-03-01 12:30", None, "water", 1], [4, 3, "2024-03-31 08:00", 7.0, None, 2],
            [5, None, "2024-04-01 00:00", 8.25, "soil", None], [6, 1, "2024-03-01 12:30", 6.5, "soil", 2],
        ],
    },
    {
        "lab": [[1, "Aster", None, None], [2, "Elm", "Bern", "Noa"], [3, "Fir", "bern", "Noa"]],
        "probe": [
            [1, 2, "2024-03-15 10:00", 5.0, "soil", None], [2, 2, "2024-03-15 10:00", 5.0, "soil", 1],
            [3, 3, "2023-03-15 10:00", 9.0, "water", 1], [4, 3, "2024-03-31 23:59", None, "water", 3],
        ],
    },
    {"lab": [[7, "Oak", "Bern", "Ida"]], "probe": []},
    {
        "lab": [[1, "Yew", "Graz", "Ida"], [2, "Yew", "Graz", "Ida"], [3, "Zelkova", "Bern", "Uma"]],
        "probe": [
            [1, 1, "2024-03-02 09:00", 7.5, "soil", None], [2, 2, "2024-03-02 09:00", 7.5, "water", 1],
            [3, 3, "2024-05-02 09:00", 4.0, "soil", 1], [4, 3, "2024-05-02 09:01", 4.5, "soil", 3],
            [5, 3, "2024-05-03 09:00", 7.5, "ice", 4],
        ],
    },
]  # fmt: skip
CASES: list[tuple[str, bool, list[str], list[str]]] = [
    (
        "SELECT name FROM lab WHERE head IS NULL OR head <> 'Ida'",
        False,
        [
            "SELECT name FROM lab WHERE COALESCE(head, '') != 'Ida'",
            "SELECT name FROM lab WHERE head IS NOT 'Ida'",
            "SELECT l.name AS who FROM lab AS l WHERE NOT (l.head IS NOT NULL AND l.head = 'Ida');",
            "WITH others AS (SELECT * FROM lab WHERE IFNULL(head, '?') <> 'Ida') SELECT name FROM others",
            "select NAME from LAB where id not in (select id from lab where head = 'Ida')",
        ],
        [
            "SELECT name FROM lab WHERE head <> 'Ida'",
            "SELECT name FROM lab WHERE NOT head = 'Ida'",
            "SELECT name FROM lab WHERE head IS NULL",
            "SELECT DISTINCT name FROM lab WHERE head = 'Ida'",
            "SELECT name, head FROM lab WHERE head IS NULL OR head <> 'Ida'",
            "SELECT name FROM lab WHERE head NOT IN ('Ida', NULL)",
        ],
    ),
    (
        "SELECT COUNT(*) FROM probe WHERE taken >= '2024-03-01' AND taken < '2024-04-01'",
        False,
        [
            "SELECT COUNT(*) FROM probe WHERE strftime('%Y-%m', taken) = '2024-03'",
            "SELECT COUNT(id) FROM probe WHERE substr(taken, 1, 7) = '2024-03'",
            "SELECT SUM(CASE WHEN taken LIKE '2024-03-%' THEN 1 ELSE 0 END) + 0 * COUNT(*) FROM (SELECT taken FROM probe UNION ALL SELECT '1900-01-01')",
            "SELECT COUNT(*) FROM probe WHERE date(taken) BETWEEN '2024-03-01' AND '2024-03-31'",
            "SELECT COUNT(*) FROM (SELECT 1 FROM probe WHERE taken GLOB '2024-03-*')",
        ],
        [
            "SELECT COUNT(*) FROM probe WHERE taken BETWEEN '2024-03-01' AND '2024-03-31'",
            "SELECT COUNT(*) FROM probe WHERE taken > '2024-03-01 00:00' AND taken < '2024-04-01'",
            "SELECT COUNT(*) FROM probe WHERE taken >= '2024-03-01' AND taken <= '2024-04-01 00:00'",
            "SELECT COUNT(*) FROM probe WHERE strftime('%m', taken) = '03'",
            "SELECT COUNT(DISTINCT taken) FROM probe WHERE taken >= '2024-03-01' AND taken < '2024-04-01'",
            "SELECT COUNT(lab_id) + 1 FROM probe WHERE taken >= '2024-03-01' AND taken < '2024-04-01'",
        ],
    ),
    (
        "SELECT lab.name, AVG(probe.ph) FROM lab LEFT JOIN probe ON probe.lab_id = lab.id GROUP BY lab.id",
        False,
        [
            "SELECT name, (SELECT AVG(ph) FROM probe WHERE lab_id = lab.id) FROM lab",
            "SELECT l.name, SUM(p.ph) / COUNT(p.ph) FROM lab l LEFT OUTER JOIN probe p ON l.id = p.lab_id GROUP BY l.id, l.name",
            "SELECT lab.name, TOTAL(ph) / NULLIF(COUNT(ph), 0) FROM lab LEFT JOIN probe ON lab_id = lab.id GROUP BY lab.id",
            "SELECT name, mean FROM lab LEFT JOIN (SELECT lab_id, AVG(ph) AS mean FROM probe GROUP BY lab_id) ON lab_id = lab.id",
            "SELECT l.name, AVG(p.ph) FROM probe p RIGHT JOIN lab l ON p.lab_id = l.id GROUP BY l.id",
        ],
        [
            "SELECT lab.name, AVG(probe.ph) FROM lab JOIN probe ON probe.lab_id = lab.id GROUP BY lab.id",
            "SELECT lab.name, AVG(probe.ph) FROM lab LEFT JOIN probe ON probe.lab_id = lab.id GROUP BY lab.name",
            "SELECT lab.name, AVG(COALESCE(probe.ph, 0)) FROM lab LEFT JOIN probe ON probe.lab_id = lab.id GROUP BY lab.id",
            "SELECT lab.name, SUM(probe.ph) / COUNT(*) FROM lab LEFT JOIN probe ON probe.lab_id = lab.id GROUP BY lab.id",
            "SELECT lab.name, ROUND(AVG(probe.ph)) FROM lab LEFT JOIN probe ON probe.lab_id = lab.id GROUP BY lab.id",
            "SELECT AVG(probe.ph), lab.name FROM lab LEFT JOIN probe ON probe.lab_id = lab.id GROUP BY lab.id",
            "SELECT lab.name, AVG(DISTINCT probe.ph) FROM lab LEFT JOIN probe ON probe.lab_id = lab.id GROUP BY lab.id",
        ],
    ),
    (
        "SELECT id FROM probe ORDER BY ph DESC, taken, id",
        True,
        [
            "SELECT id FROM probe ORDER BY ph DESC NULLS LAST, taken ASC, id ASC",
            "SELECT id FROM (SELECT id, ROW_NUMBER() OVER (ORDER BY ph DESC, taken, id) AS n FROM probe) ORDER BY n",
            "SELECT id FROM probe ORDER BY ph IS NULL, -ph, datetime(taken), id",
        ],
        [
            "SELECT id FROM probe ORDER BY ph DESC NULLS FIRST, taken, id",
            "SELECT id FROM probe ORDER BY ph, taken, id",
            "SELECT id FROM probe ORDER BY ph DESC, taken DESC, id",
            "SELECT id FROM probe ORDER BY ph DESC, taken, id DESC",
            "SELECT id FROM probe WHERE ph IS NOT NULL ORDER BY ph DESC, taken, id",
            "SELECT id FROM probe ORDER BY CAST(ph AS TEXT) || '' , id",
        ],
    ),
    (
        "SELECT name FROM lab WHERE NOT EXISTS (SELECT 1 FROM probe WHERE probe.lab_id = lab.id)",
        False,
        [
            "SELECT name FROM lab WHERE id NOT IN (SELECT lab_id FROM probe WHERE lab_id IS NOT NULL)",
            "SELECT lab.name FROM lab LEFT JOIN probe ON probe.lab_id = lab.id WHERE probe.id IS NULL",
            "SELECT name FROM lab WHERE id IN (SELECT id FROM lab EXCEPT SELECT lab_id FROM probe)",
            "SELECT name FROM lab WHERE (SELECT COUNT(*) FROM probe WHERE lab_id = lab.id) = 0",
        ],
        [
            "SELECT name FROM lab WHERE id NOT IN (SELECT lab_id FROM probe)",
            "SELECT name FROM lab EXCEPT SELECT lab.name FROM lab JOIN probe ON probe.lab_id = lab.id UNION ALL SELECT 'Oak'",
            "SELECT lab.name FROM lab LEFT JOIN probe ON probe.lab_id = lab.id WHERE probe.ph IS NULL",
            "SELECT name FROM lab WHERE EXISTS (SELECT 1 FROM probe WHERE probe.lab_id = lab.id)",
            "SELECT name FROM lab WHERE id NOT IN (SELECT id FROM probe)",
        ],
    ),
    (
        "WITH RECURSIVE down(id, depth) AS (SELECT id, 0 FROM probe WHERE parent IS NULL UNION ALL SELECT p.id, d.depth + 1 FROM probe p JOIN down d ON p.parent = d.id) SELECT id, depth FROM down",
        False,
        [
            "WITH RECURSIVE t AS (SELECT id, parent, 0 AS n FROM probe WHERE parent IS NULL UNION SELECT c.id, c.parent, t.n + 1 FROM probe c, t WHERE c.parent = t.id) SELECT id, n FROM t",
            "SELECT a.id, (a.parent IS NOT NULL) + (b.parent IS NOT NULL) + (c.parent IS NOT NULL) + (d.parent IS NOT NULL) FROM probe a LEFT JOIN probe b ON a.parent = b.id LEFT JOIN probe c ON b.parent = c.id LEFT JOIN probe d ON c.parent = d.id",
        ],
        [
            "SELECT id, parent IS NOT NULL FROM probe",
            "WITH RECURSIVE t AS (SELECT id, 1 AS n FROM probe WHERE parent IS NULL UNION ALL SELECT c.id, t.n + 1 FROM probe c JOIN t ON c.parent = t.id) SELECT id, n FROM t",
            "SELECT id, COUNT(parent) FROM probe GROUP BY id",
        ],
    ),
    (
        "SELECT kind, COUNT(*) FROM probe GROUP BY kind HAVING COUNT(*) > 1",
        False,
        [
            "SELECT kind, n FROM (SELECT kind, COUNT(*) AS n FROM probe GROUP BY kind) WHERE n >= 2",
            "SELECT DISTINCT kind, COUNT(*) OVER (PARTITION BY kind) AS c FROM probe p WHERE (SELECT COUNT(*) FROM probe q WHERE q.kind IS p.kind) > 1",
        ],
        [
            "SELECT kind, COUNT(*) FROM probe GROUP BY kind",
            "SELECT kind, COUNT(*) FROM probe GROUP BY kind HAVING COUNT(*) > 2",
            "SELECT kind, COUNT(DISTINCT lab_id) FROM probe GROUP BY kind HAVING COUNT(*) > 1",
            "SELECT kind, COUNT(*) FROM probe GROUP BY kind HAVING COUNT(parent) > 1",
        ],
    ),
    (
        "SELECT DISTINCT city FROM lab WHERE city IS NOT NULL",
        False,
        [
            "SELECT city FROM lab WHERE city IS NOT NULL GROUP BY city",
            "SELECT city FROM lab WHERE city NOT NULL UNION SELECT city FROM lab WHERE city IS NOT NULL",
            "SELECT city FROM lab INTERSECT SELECT city FROM lab WHERE city = city",
        ],
        [
            "SELECT city FROM lab WHERE city IS NOT NULL",
            "SELECT DISTINCT city FROM lab",
            "SELECT DISTINCT lower(city) FROM lab WHERE city IS NOT NULL",
            "SELECT DISTINCT city COLLATE NOCASE FROM lab WHERE city IS NOT NULL",
            "SELECT MIN(city) FROM lab WHERE city IS NOT NULL",
        ],
    ),
]
