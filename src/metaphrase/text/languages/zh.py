"""Chinese, simplified and traditional."""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property

from metaphrase.text.languages.base import Language, Quantity, WordClass, read_digits
from metaphrase.text.normalise import fold
from metaphrase.text.tokens import Token, is_han

__all__ = ["Chinese"]

_DIGITS = {c: v for v, c in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2, "兩": 2}
_TENS = {"十": 10, "百": 100, "千": 1_000}
_MYRIADS = {"万": 10**4, "萬": 10**4, "亿": 10**8, "億": 10**8}
_NUMERAL = "".join([*_DIGITS, *_TENS, *_MYRIADS])
_SCALE = "".join([*_TENS, *_MYRIADS])
_QUANTITY = re.compile(
    rf"(?P<per>百分之)?(?P<digits>\d[\d,.，]*\d|\d)?(?P<gap>(?<=\d)\s?(?=[{_SCALE}]))?(?P<numeral>[{_NUMERAL}点點]*[{_NUMERAL}])?(?P<half>半)?(?P<percent>\s?[%％])?"
)
_DECADE = re.compile(rf"(\d+|[{_NUMERAL}]+)\s?世纪\s?(\d+|[{_NUMERAL}]+)\s?年代")
_COUNTRIES = """
法国 德国 西班牙 意大利 葡萄牙 希腊 波兰 匈牙利 奥地利 比利时 挪威 瑞典 芬兰 丹麦 爱尔兰 俄罗斯 乌克兰 土耳其 美国 英国
日本 韩国 印度 越南 泰国 马来西亚 新加坡 巴基斯坦 伊朗 伊拉克 以色列 埃及 摩洛哥 尼日利亚 肯尼亚 加拿大 墨西哥 巴西 阿根廷
智利 秘鲁 古巴 澳大利亚 瑞士 罗马尼亚 塞尔维亚
"""
_CLASSES = (
    WordClass("weekday", tuple("星期一 星期二 星期三 星期四 星期五 星期六 星期日".split())),
    WordClass("weekday", tuple("周一 周二 周三 周四 周五 周六 周日".split())),
    WordClass("month", tuple("一月 二月 三月 四月 五月 六月 七月 八月 九月 十月 十一月 十二月".split())),
    WordClass("month", tuple("一月份 二月份 三月份 四月份 五月份 六月份 七月份 八月份 九月份 十月份".split())),
    WordClass("country", tuple(_COUNTRIES.split()), name=True),
    WordClass("male first name", tuple("小明 小刚 小强 小军 小龙".split())),
    WordClass("female first name", tuple("小红 小丽 小芳 小梅 小燕".split())),
    WordClass("colour", tuple("红色 蓝色 绿色 黄色 白色 黑色 紫色 灰色 粉色 橙色".split())),
    *(
        WordClass("unit", tuple(units.split()), needs="number")
        for units in ("公里 英里", "公斤 磅", "厘米 米", "分钟 小时", "美元 欧元 英镑", "公顷 亩", "吨 公斤")
    ),
)


# Negating characters, but not in words that no longer negate.
_NEGATION = re.compile(
    r"没有|毫无|从未|从不|并非|绝非|不是|没|勿|未(?!来|免|必|婚|央|遂)"
    r"|(?<!不得)(?<!差)(?<!必)不(?!同|断|仅|但|过|久|管|论|少|得不|只|安|错|止|光|妨|知不觉|满|幸|良|足|已|禁|单|如|等|惜|由|料|时|外乎|可避免"
    r"|可思议|明|朽|锈|丹|列|停|利|可少|拘|遗余力|懈|一)"
    r"|无(?!论|人机|线|数|疑|家|与伦比|辜|限|名|私|锡|情|聊|瑕|处不|所不|独有偶|可争议|可避免)"
)


class Chinese(Language):
    plural_numerals = tuple("三四五六七八九")
    subject_pronouns = frozenset("我 你 您 他 她 它 我们 咱们 你们 他们 她们 它们 大家 自己".split())
    free_prepositions = frozenset("在 于 由于 根据 按照 据".split())
    needed_adverbs = frozenset(
        "正在 必须 务必 必将 不再 不必 不用 未必 尚未 从未 从不 更为 更加 越来越 最为 极为 几乎 差点 仅仅 只是 只有 至少 如何 为何 何时 何必 互相 相互 彼此 多么 即使"
        " 看似 似乎 好像 难道 究竟 到底 宁可 非常 十分 特别 相当 比较 较为 太 真 挺".split()
    )
    number_ceilings = {"月": 12, "日": 28, "号": 28, "点": 12, "时": 23}
    name = "Chinese"
    negations = frozenset("不 没 没有 無 无 未 非 别 勿 否 莫 毫无 并非 从不 从未 不是 不能 不会 不要".split())
    implied_negations = frozenset(
        "缺乏 缺少 拒绝 否认 避免 很少 罕见 禁止 失去 除非 除了 停止 失败 尚未 而非 才 直到 只 难以 排除 免 以免 防止 零 非".split()
    )
    denials = {
        "是": "不是", "会": "不会", "能": "不能", "能够": "不能够", "可以": "不可以", "应该": "不应该", "需要": "不需要", "有": "没有",
        "想": "不想", "愿意": "不愿意", "同意": "不同意", "知道": "不知道", "相信": "不相信", "允许": "不允许", "希望": "不希望", "喜欢": "不喜欢",
    }  # fmt: skip
    clause_words = frozenset("因为 由于 虽然 尽管 但是 但 不过 然而 如果 若 当 而 因此 所以 以便 并且 并 而且 同时 其中".split())
    light_characters = frozenset("的了在是和与及一个这其们之为以对中上")
    latin_script = False
    compares_by_character = True
    number_affixes = re.compile(
        r"^第|(?:年|月份?|日|号|號|时|時|点|點|个|個|岁|歲|名|座|项|項|家|种|種|位|次|条|條|份|场|場|天|届|屆|只|件|张|張)$"
    )

    @cached_property
    def stop_words(self) -> frozenset[str]:
        """The package's list less its whole phrases and content words: function words are short."""
        from stopwordsiso import stopwords

        return frozenset(w for w in stopwords("zh") if len(w) <= 2) | frozenset("的 了 着 过 地 得 之 所 被 把 将 们".split())

    @cached_property
    def word_classes(self) -> tuple[WordClass, ...]:
        return _CLASSES

    def split_run(self, run: Token) -> Sequence[Token]:
        """Segment with jieba; characters beyond the basic plane survive as single tokens."""
        import jieba

        jieba.setLogLevel(60)
        tokens = []
        position = run.start
        for word in jieba.cut(run.text, HMM=True):
            tokens.append(Token(word, position, position + len(word)))
            position += len(word)
        return tokens

    def lemma(self, word: str) -> str:
        return fold(word)

    def negation_spans(self, text: str) -> list[tuple[int, int]]:
        """By character: the segmenter hides negations inside longer words."""
        return [match.span() for match in _NEGATION.finditer(text)]

    def quantities(self, text: str) -> list[Quantity]:
        """Digits with scales (1.2亿), numerals (三万五千), 百分之, and decades (19世纪40年代 is 1840)."""
        found = []
        decades = {m.start(): m for m in _DECADE.finditer(text)}
        skip = 0
        for match in _QUANTITY.finditer(text):
            if match.start() < skip:
                continue
            if (decade := decades.get(match.start())) is not None:
                century, tens = (_value(*_split(part)) for part in decade.groups())
                if century is not None and tens is not None:
                    found.append(Quantity((century - 1) * 100 + tens, decade.start(), decade.end()))
                    skip = decade.end()
                    continue
            digits, numeral = match["digits"], match["numeral"] or ""
            if not digits and not numeral:
                continue
            value = _value(digits, numeral)
            if value is not None:
                if match["half"] and not numeral.endswith(tuple(_DIGITS)):
                    value += _last_scale(numeral) / 2
                percent = bool(match["per"] or match["percent"])
                found.append(Quantity(value, match.start(), match.end(), percent))
        return found


def _split(part: str) -> tuple[str | None, str]:
    return (part, "") if part[0].isdigit() else (None, part)


def _last_scale(numeral: str) -> Fraction:
    return Fraction((_TENS | _MYRIADS).get(numeral[-1:], 1))


def _value(digits: str | None, numeral: str) -> Fraction | None:
    if not digits:
        return _numeral_value(numeral)
    value = read_digits(digits.replace("，", ","))
    if value is None:
        return None
    for c in numeral:
        scale = (_TENS | _MYRIADS).get(c)
        if scale is None:
            return None
        value *= scale
    return value


def _numeral_value(numeral: str) -> Fraction | None:
    """三万五千 = 35000; a last digit without a unit counts in the next lower one: 三万五 = 35000."""
    whole, _, decimals = numeral.replace("點", "点").partition("点")
    if decimals:
        tail = re.match(rf"[{''.join(_DIGITS)}]+", decimals)
        if tail is None or not whole:
            return None
        value = _numeral_value(whole)
        if value is None:
            return None
        value += Fraction("0." + "".join(str(_DIGITS[c]) for c in tail.group()))
        for c in decimals[tail.end() :]:
            value *= (_TENS | _MYRIADS).get(c, 1)
        return value
    if all(c in _DIGITS for c in whole):
        if len(whole) == 2 and 0 < _DIGITS[whole[0]] == _DIGITS[whole[1]] - 1:
            return None  # 两三 is "two or three"
        return Fraction("".join(str(_DIGITS[c]) for c in whole)) if is_han(whole) else None
    total = section = Fraction(0)
    digit: Fraction | None = None
    last_unit = 1
    for c in whole:
        if c in _DIGITS:
            digit = Fraction(_DIGITS[c])
            if digit == 0:
                last_unit = 1
        elif c in _TENS:
            section += (digit if digit is not None else Fraction(1)) * _TENS[c]
            digit, last_unit = None, _TENS[c]
        else:
            section += digit or Fraction(0)
            if _MYRIADS[c] == 10**8:
                total = (total + (section or 1)) * 10**8 if not total else (total + section) * 10**8
            else:
                total += (section or Fraction(1)) * _MYRIADS[c]
            section, digit, last_unit = Fraction(0), None, _MYRIADS[c]
    if digit is not None:
        section += digit * (Fraction(last_unit, 10) if last_unit >= 100 else 1)
    return total + section
