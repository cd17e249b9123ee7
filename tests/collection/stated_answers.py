"""Answers to a task whose gold answer is 42, as a policy might try them, and as people write right ones."""

NOT_STATED = r"""
42 or so
41, then 42
42, then 41
rhymes with 42
It rhymes with 42
42 is what I'd guess but it's really 43
42 is what I'd say, but it is really 43
42 — just kidding, 43
42 - just kidding
some number like 42
it is 42 if x, else 43
It is 42 if she sold them, otherwise 43.
42? No.
42 is too low
42 is too high
42 is wrong
Something near 42
close to 42
Anything other than 42
any number except 42
a number similar to 42
42 give or take
42, more or less
42 or thereabouts
at least 42
42 or more
42 at most
42-ish
not 42
It is definitely not 42
It isn't 42
42 isn't the answer
42 would be wrong
42, or maybe 43
maybe 42, maybe 43
42 unless it rains, then 43
either 42 or 43
between 41 and 42
first 42, and later 43
42. No wait, 43.
42. Scratch that.
42... just kidding
Just kidding, it is not 42
42, but don't trust me, it could be 43
41 → 42 → 43
41, 42 or 43
The opposite of 42
twice 42
half of 42
42 and 43
42 43
Is it 42? It is 43.
42 is one possibility; 43 is another
one less than 42
a little over 42
just under 42
42 plus something
the number before 42
the number after 42
42 is not right
42 is nearly right
42 is almost it
I would say 42 if I had to lie
It can't be 42
Not sure whether it is 42 or 43
42 or 43
42 vs 43
42 / 43
everything but 42
instead of 42
unlike 42
42 is far from it
I refuse to say 42
42 was my first guess, now 43
They think 42, I think 43
You might expect 42, it's 43
42 seems low, so 43
42 (or 43)
Nobody would say 42
Don't say 42
Never 42
42 is false
42 — or is it?
Who said 42?
42?
Less than 42
the next prime after 42
42 minus one
42 squared
the square of 42
One of 41, 42, 43
Pick 42 or 43
the digits 4 and 2, not 42
rhymes with forty-two
forty-two or forty-three
42 unless I am mistaken, in which case 43
41? 42? 43?
""".strip().splitlines()
"""Two values, a value that is only near or unlike, or one that is taken back: no answer."""

STATED = r"""
42
42.
= 42
→ 42
**42**
The total is 42.
So, 42.
So it's 42
It's 42.
That's 42!
That makes 42.
I get 42.
I got 42
We get 42 in total.
It comes to 42.
It comes out at 42.
This gives 42.
This gives us 42.
Which is 42.
Hence 42.
Thus 42
Therefore, the result is 42.
Total: 42
Result: 42
Answer: 42
Final answer: 42
The answer is 42
the answer is: 42
The answer would be 42.
My answer is 42.
My final answer is 42.
The correct answer is 42.
I believe it is 42.
I think it is 42.
I think the answer is 42.
Probably 42.
maybe 42
Maybe 42.
Perhaps 42
It is probably 42.
Possibly 42.
I guess 42.
I'd guess 42
My guess is 42.
I'm fairly sure it is 42.
I am sure it is 42.
Surely 42.
Certainly 42.
Definitely 42.
Clearly 42.
It must be 42.
It has to be 42.
It should be 42.
It will be 42.
It turns out to be 42.
It works out to 42.
It equals 42.
The sum equals 42.
x = 42
n = 42.
total = 42
20 + 22 = 42
6 * 7 = 42
6 × 7 = 42.
So 6*7 = 42
20 + 22 is 42.
20 and 22 make 42.
20 plus 22 is 42.
Adding up: 20 + 22 = 42
Adding 20 and 22 gives 42.
Subtracting 8 from 50 leaves 42.
50 - 8 leaves 42.
First 20, plus 22, makes 42.
First there are 20, then 22 more, so 42.
20 first, then 22, that is 42.
Step 1: 20 + 22 = 42
2. The result is 42.
There are 42.
There are 42 of them.
There would be 42 left.
42 are left.
42 remain.
42 in all.
42 in total.
42 altogether
42 is the answer.
42 is the total.
42 is what remains.
42 is what she has left.
42 is right.
42, of course.
42, as asked.
42, I think.
42, I believe.
42 it is.
42 exactly.
Exactly 42.
exactly 42
Precisely 42
Just 42.
Only 42.
A total of 42.
Altogether 42.
All in all, 42.
In total 42.
In the end 42.
At the end of the day, 42.
At the end there are 42.
Finally, 42.
Finally we have 42.
Now she has 42.
She has 42.
She now has 42.
She had 42 left.
He needs 42.
They need 42.
He paid 42.
It costs 42.
It is 42 now.
After that, it is 42.
Then it is 42.
Then she has 42.
If 8 of 50 are gone, 42 remain.
If you add 20 and 22 you get 42.
If we take 8 from 50, we get 42.
Since 50 - 8 = 42, it is 42.
Because 50 - 8 = 42, the answer is 42.
Not 41 but 42.
It's not 41, it's 42.
It is not 41. It is 42.
I first thought 41, but it is 42.
At first I had 41, but it's really 42.
Actually, it is 42.
Actually 42.
Really it is 42.
Wait, it is 42.
No, it is 42.
Hmm, 42.
OK: 42
Okay, 42.
Sure, 42.
Yes, 42.
Yes: it's 42.
Easy: 42
Got it: 42
Let me see... 42
Let me think. 42.
Good question! It is 42.
42. I hope that helps!
42. Let me know if you have more questions.
42. Let me know if that is not clear.
42. Hope this helps.
42. Is there anything else?
42. Do you want to see the steps?
42! I checked it twice.
42. I double-checked.
42. No doubt.
42, no doubt.
42, no more and no less.
42, without a doubt.
No doubt about it: 42.
There is no doubt that it is 42.
It can only be 42.
It cannot be anything but 42.
It is nothing but 42.
None other than 42.
42 (forty-two)
forty-two
Forty-two.
It is forty-two.
The answer, then, is 42.
The number is 42.
The number we look for is 42.
The number asked for is 42.
The value is 42.
The value of x is 42.
So x must be 42.
`42`
"42"
'42'
(42)
[42]
{42}
<b>42</b>
_42_
*42*
__42__
$42$
\(42\)
\[42\]
$$42$$
$x = 42$
\boxed{42}
The answer is \boxed{42}.
$\boxed{42}$
#### 42
<answer>42</answer>
42.0
42.00
+42
042
84/2
Answer = 42
ANSWER: 42
Ans: 42
A: 42
Result is 42
Sum: 42
The difference is 42.
The remainder is 42.
The product is 42.
like I said, 42
As before, 42.
Same as before: 42.
It looks like it is 42.
Looks like 42 is the answer.
It seems to be 42.
It seems that the answer is 42.
Apparently 42.
Without the gift it is 42.
Except for the gift, that is everything: 42.
Nothing is wrong here, it is 42.
My first try was wrong. It is 42.
I made a mistake at first. It is 42.
Correction: 42
Correction: it is 42.
Sorry, it is 42.
Oops, 42.
""".strip().splitlines()
"""One value, given as the answer; also where somebody says how sure they are."""
