"""liftlib: lift-based information-theoretic privacy, for the companion book to the lift papers.

Arrays are float64, s before x before y, logarithms natural. The floors, each importing only from those below:
errors and numerics; joint, channel, polytope and linprog; lift and information; notions; mechanisms; evaluation and
datasets; experiments; plots; rerun and the command line.
"""

from liftlib import datasets as datasets
from liftlib import polytope as polytope
from liftlib.channel import Channel as Channel
from liftlib.errors import DataError as DataError
from liftlib.errors import InfeasiblePrivacy as InfeasiblePrivacy
from liftlib.errors import InvalidDistribution as InvalidDistribution
from liftlib.errors import InvalidParameter as InvalidParameter
from liftlib.errors import LiftError as LiftError
from liftlib.errors import RerunError as RerunError
from liftlib.errors import SolverFailure as SolverFailure
from liftlib.errors import UnsupportedNotion as UnsupportedNotion
from liftlib.evaluation import Evaluation as Evaluation
from liftlib.evaluation import evaluate as evaluate
from liftlib.information import arimoto as arimoto
from liftlib.information import chi2_divergence as chi2_divergence
from liftlib.information import entropy as entropy
from liftlib.information import mutual_information as mutual_information
from liftlib.information import sibson as sibson
from liftlib.information import total_variation as total_variation
from liftlib.joint import Joint as Joint
from liftlib.lift import alpha_lift as alpha_lift
from liftlib.lift import alpha_lift_inverse as alpha_lift_inverse
from liftlib.lift import chi2_lift as chi2_lift
from liftlib.lift import chi2_lift_inverse as chi2_lift_inverse
from liftlib.lift import l1_lift as l1_lift
from liftlib.lift import l1_lift_inverse as l1_lift_inverse
from liftlib.lift import lift as lift
from liftlib.lift import lift_ratio as lift_ratio
from liftlib.lift import max_lift as max_lift
from liftlib.lift import min_lift as min_lift
from liftlib.mechanisms.bounded import bounded_reduction as bounded_reduction
from liftlib.mechanisms.bounded import extreme_reduction as extreme_reduction
from liftlib.mechanisms.bracket import Bracket as Bracket
from liftlib.mechanisms.bracket import bracket_response as bracket_response
from liftlib.mechanisms.calibration import calibrate as calibrate
from liftlib.mechanisms.column_search import searched_response as searched_response
from liftlib.mechanisms.column_search import searched_response_report as searched_response_report
from liftlib.mechanisms.ldp import randomised_response as randomised_response
from liftlib.mechanisms.ldp import randomised_response_lip as randomised_response_lip
from liftlib.mechanisms.ldp import unary_encoding as unary_encoding
from liftlib.mechanisms.ldp import unary_encoding_lip as unary_encoding_lip
from liftlib.mechanisms.levels import conditional_reporting_alpha as conditional_reporting_alpha
from liftlib.mechanisms.levels import randomised_response_alpha as randomised_response_alpha
from liftlib.mechanisms.levels import unary_encoding_alpha as unary_encoding_alpha
from liftlib.mechanisms.merging import subset_merging as subset_merging
from liftlib.mechanisms.partition import best_partition as best_partition
from liftlib.mechanisms.product_response import product_response as product_response
from liftlib.mechanisms.product_response import product_response_report as product_response_report
from liftlib.mechanisms.reduction import linear_reduction as linear_reduction
from liftlib.mechanisms.reduction import markov_reduction as markov_reduction
from liftlib.mechanisms.reduction import reduction_share as reduction_share
from liftlib.mechanisms.reduction import secret_aware_reduction as secret_aware_reduction
from liftlib.mechanisms.reporting import conditional_reporting as conditional_reporting
from liftlib.mechanisms.reporting import conditional_reporting_lip as conditional_reporting_lip
from liftlib.mechanisms.response import optimal_response as optimal_response
from liftlib.mechanisms.response import optimal_response_report as optimal_response_report
from liftlib.mechanisms.robust import robust_response as robust_response
from liftlib.mechanisms.secret_response import secret_aware_response as secret_aware_response
from liftlib.mechanisms.side_channels import srlip_upper_bounds as srlip_upper_bounds
from liftlib.mechanisms.subset_response import subset_response as subset_response
from liftlib.mechanisms.subset_response import subset_response_report as subset_response_report
from liftlib.mechanisms.tailored import tailored_response as tailored_response
from liftlib.mechanisms.watchdog import high_risk as high_risk
from liftlib.mechanisms.watchdog import watchdog as watchdog
from liftlib.notions import ALIP as ALIP
from liftlib.notions import LDP as LDP
from liftlib.notions import LIP as LIP
from liftlib.notions import SRLIP as SRLIP
from liftlib.notions import AlphaLift as AlphaLift
from liftlib.notions import Chi2Lift as Chi2Lift
from liftlib.notions import L1Lift as L1Lift
from liftlib.notions import Leakage as Leakage
from liftlib.notions import LiftNotion as LiftNotion
from liftlib.notions import Notion as Notion
from liftlib.notions import PerfectPrivacy as PerfectPrivacy

__version__ = "0.1.0"
